# SPDX-License-Identifier: MIT
"""The report as a parser sees it: for report.py and browser.py."""
import html.parser
import json


class Page(html.parser.HTMLParser):
    """Rows with their numbers; every address that the page names."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.addresses, self.scripts, self.ids, self.words = [], [], 0, [], []
        self.probe = None
        self.dots = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "data-probe" in attributes:
            self.probe = json.loads(attributes["data-probe"])
        self.scripts += tag == "script" or any(name.startswith("on") for name in attributes)
        self.addresses += [attributes[name] for name in ("src", "href", "action", "data") if name in attributes]
        if "data-difference" in attributes:
            self.dots.append(float(attributes["data-difference"]))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "details" and attributes.get("class") == "row":
            self.rows.append({})
        if "data-value" in attributes and self.rows:
            self.rows[-1].setdefault(attributes["class"], float(attributes["data-value"]))

    def handle_data(self, data):
        self.words.append(data)
