/* SPDX-License-Identifier: MIT
 *
 * Search, sorting and a filter by status for the rows of the report. Without it the page has all of its text: it only
 * shows, hides and reorders rows. The state stands in the address after '#', so that a view can be passed on.
 * The build embeds this file in the program. */
(function () {
  "use strict";
  var form = document.getElementById("controls"), list = document.getElementById("rows");
  if (!form || !list) {
    return;
  }
  var children = Array.prototype.slice.call(list.children), rows = children.filter(function (child) {
    return child.className === "row";
  });

  function number(row, key) {
    var cell = row.querySelector("summary ." + key);
    return cell && cell.dataset.value !== undefined ? Number(cell.dataset.value) : NaN;
  }

  function words(row, key) {
    return row.querySelector("summary ." + key).textContent;
  }

  /* Rows without the figure come last. */
  function larger(figure) {
    return function (a, b) {
      var x = figure(a), y = figure(b);
      return isNaN(x) ? (isNaN(y) ? 0 : 1) : isNaN(y) ? -1 : y - x;
    };
  }
  var orders = {
    name: function (a, b) { return words(a, "name") < words(b, "name") ? -1 : 1; },
    value: larger(function (row) { return number(row, "value"); }),
    difference: larger(function (row) { return Math.abs(number(row, "difference")); }),
    status: function (a, b) { return words(a, "state") < words(b, "state") ? -1 : 1; }
  };

  function is_shown(row) {
    var name = words(row, "name").toLowerCase();
    return (form.status.value === "" || words(row, "state") === form.status.value) &&
      form.search.value.toLowerCase().split(/\s+/).every(function (word) { return name.indexOf(word) >= 0; });
  }

  function show() {
    var order = orders[form.sort.value], count = 0, heading = [], shown = order ? rows.slice().sort(order) : children;
    children.forEach(function (child) {
      if (child.className !== "row") {
        child.hidden = true;
      }
    });
    shown.forEach(function (child) {
      list.appendChild(child);
      if (child.className !== "row") {
        heading = child.tagName === "H3" ? [child] : heading.concat(child);
        return;
      }
      child.hidden = !is_shown(child);
      count += !child.hidden;
      if (!child.hidden && !order) {
        heading.forEach(function (part) { part.hidden = false; });
      }
    });
    form.querySelector("output").textContent = count + " of " + rows.length + " shown";
  }

  function read_address() {
    location.hash.slice(1).split("&").forEach(function (part) {
      var at = part.indexOf("="), field = form.elements[part.slice(0, at)];
      if (at > 0 && field) {
        field.value = decodeURIComponent(part.slice(at + 1));
      }
    });
  }

  function write_address() {
    var parts = ["search", "status", "sort"].filter(function (key) {
      return form.elements[key].value !== "";
    }).map(function (key) { return key + "=" + encodeURIComponent(form.elements[key].value); });
    try {
      history.replaceState(null, "", "#" + parts.join("&"));
    } catch (error) { /* a page that was opened in a frame without an address */ }
  }

  rows.forEach(function (row) {
    var state = words(row, "state");
    if (!Array.prototype.some.call(form.status.options, function (option) { return option.value === state; })) {
      form.status.add(new Option(state, state));
    }
  });
  form.addEventListener("input", function () { show(); write_address(); });
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.hidden = false;
  if (/^#(search|status|sort)=/.test(location.hash)) {
    read_address();
  }
  show();
}());
