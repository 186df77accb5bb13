#!/usr/bin/env bash
# Makes the machine able to build agx-runner, then configures and builds it. Called by run.sh, test.sh
# and .ci/run; each step looks first whether it is done, so a second call is quick and an interrupted
# one can be repeated.
#
#   ci/setup.sh [--use build|test|all|cross|driver] [--only TARGET,...] [--packages | --meson | --clang | --piglit]
#
# --use       what for: build (run.sh), test (test.sh; includes build), all (test.sh --all; includes test), cross
#             (ci/cross.sh: the same for aarch64, whose programs run through qemu) or driver (ci/compare-driver and the
#             tests of Mesa's Vulkan driver; includes test). Decides packages and targets
# --only      build these targets alone: compiler/program/agx-compile,fuzz/agx-fuzz
# --packages  print this machine's package list and stop
# --meson     print the path of the Meson in use and stop
# --clang     print the name of the clang of Mesa's LLVM version and stop
# --piglit    fetch Piglit's OpenCL program tests, where this machine's packages have them, and stop
#
# Environment: BUILD_DIR (default build; cross: build-aarch64), MESON_OPTIONS (extra words for meson setup, read when it is configured),
#             AGX_RUNNER_LLVM (Debian: LLVM's version, 15 to 22. Default: the version that the build folder was configured with, else
#             the newest of which LLVM, clang, libclc and the SPIRV-LLVM translator are all installed, else the newest of which all
#             four can be installed. A build folder of another version is configured anew)
set -euo pipefail
cd "$(dirname "$0")/.."

use=build only='' print=''
while [ $# -gt 0 ]; do
  case $1 in
    --use) [ $# -gt 1 ] || { echo "setup: --use needs a value: build, test, all, cross or driver" >&2; exit 79; }; use=$2; shift ;;
    --only) [ $# -gt 1 ] || { echo "setup: --only needs targets" >&2; exit 79; }; only=$2; shift ;;
    --packages|--meson|--clang|--piglit) print=$1 ;;
    -h|--help) sed -n '2,21s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "setup: unknown argument '$1' (see --help)" >&2; exit 79 ;;
  esac
  shift
done
case $use in build|test|all|cross|driver) ;; *) echo "setup: --use takes build, test, all, cross or driver, not '$use'" >&2; exit 79 ;; esac

say() { printf 'setup: %s\n' "$*" >&2; }
die() { printf 'setup: %s\n' "$*" >&2; exit 98; }

case $use in cross) build=${BUILD_DIR:-build-aarch64} ;; *) build=${BUILD_DIR:-build} ;; esac
cache=$PWD/.cache
logs=$cache/logs
mkdir -p "$logs"

# --- the distribution -------------------------------------------------------------------------------
release=${AGX_RUNNER_OS_RELEASE:-/etc/os-release} # another one in tests/packaging/setup.sh
[ -r "$release" ] || die "no $release: which distribution is this? See README for the package list."
# shellcheck disable=SC1090 # os-release
distro=$(. "$release"; case " ${ID:-} ${ID_LIKE:-} " in
  *' debian '*) echo debian ;; *' fedora '*) echo fedora ;; *' arch '*) echo arch ;; *) echo unknown ;; esac)

root=()
if [ "$(id -u)" != 0 ]; then command -v sudo >/dev/null && root=(sudo) || root=(false); fi

# Mesa needs LLVM, clang, libclc and the SPIRV-LLVM translator of one version. Debian has several, other distributions one.
llvm='' oldest_llvm=15 newest_llvm=22
llvm_parts() { printf '%s\n' "llvm-$1-dev" "clang-$1" "libclc-$1" "libllvmspirvlib-$1-dev"; }
# A machine that never asked its mirror knows no package but those that are installed.
apt_lists() {
  compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || [ "${root[*]:-}" = false ] ||
    "${root[@]}" apt-get update >"$logs/apt.log" 2>&1 || true
}
choose_llvm() {
  local version installed
  if [ -n "${AGX_RUNNER_LLVM:-}" ]; then
    if ! [[ $AGX_RUNNER_LLVM =~ ^[0-9]{2}$ && $AGX_RUNNER_LLVM -ge $oldest_llvm && $AGX_RUNNER_LLVM -le $newest_llvm ]]; then
      echo "setup: AGX_RUNNER_LLVM takes $oldest_llvm to $newest_llvm, not '$AGX_RUNNER_LLVM'" >&2
      exit 79
    fi
    llvm=$AGX_RUNNER_LLVM
    return
  fi
  if [ -s "$build/.llvm" ] && [ -e "$build/build.ninja" ]; then llvm=$(<"$build/.llvm"); return; fi
  # dpkg-query fails where dpkg has never heard of one of the names.
  installed=$({ dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'llvm-*-dev' 'clang-*' 'libclc-*' 'libllvmspirvlib-*-dev' 2>/dev/null ||
    true; } | sed -n 's/^installed //p')
  for ((version = newest_llvm; version >= oldest_llvm; version--)); do
    # shellcheck disable=SC2143 # grep -q ends the pipe before its writer, which then fails
    [ -n "$(llvm_parts $version | grep -vxF "$installed")" ] || { llvm=$version; return; }
  done
  apt_lists
  for ((version = newest_llvm; version >= oldest_llvm; version--)); do
    # shellcheck disable=SC2046
    if apt-get install -s --no-install-recommends $(llvm_parts $version) >/dev/null 2>&1; then
      llvm=$version
      return
    fi
  done
  die "no LLVM of $oldest_llvm to $newest_llvm can be had with all its parts: $(llvm_parts VERSION | tr '\n' ' ')"
}
if [ "$distro" = debian ]; then
  choose_llvm
elif [ -n "${AGX_RUNNER_LLVM:-}" ]; then
  say "AGX_RUNNER_LLVM is for Debian; here the distribution's LLVM is taken"
fi

# Of names "a|b", the first that Debian's release has, else the last.
one_of() {
  local name
  if [ "$distro" = debian ]; then apt_lists; fi
  for name in ${1//|/ }; do
    if [ "$distro" != debian ] || apt-cache show "$name" >/dev/null 2>&1; then break; fi
  done
  echo "$name"
}
# The distribution's names of what the given uses need.
packages_for() {
  local column name
  case $distro in debian) column=3 ;; fedora) column=4 ;; arch) column=5 ;; *) column=3 ;; esac
  awk -v uses=",$1," -v c="$((column - 1))" -v llvm="$llvm" \
    '/^#/ || NF == 0 || $c == "-" { next }
     { n = split($1, use, ","); for (i = 1; i <= n; i++) if (index(uses, "," use[i] ",")) { gsub(/\{llvm\}/, llvm, $c); print $c; next } }' \
    ci/packages.txt | sort -u | while read -r name; do
    case $name in *'|'*) one_of "$name" ;; *) echo "$name" ;; esac
  done
}
packages() { case $use in all) packages_for build,test,all ;; driver) packages_for build,test,driver ;; *) packages_for "build,$use" ;; esac; }
if [ "$print" = --packages ]; then packages; exit 0; fi

install_packages() {
  local missing
  case $distro in
    debian)
      missing=$(packages | while read -r p; do
        dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null | grep -qx installed || echo -n "$p "; done)
      [ -n "$missing" ] || return 0
      [ "${root[*]:-}" != false ] || die "these packages are missing, and there is neither root nor sudo to install them:
  apt-get install $missing"
      say "installing $(wc -w <<<"$missing") packages: $missing"
      export DEBIAN_FRONTEND=noninteractive
      "${root[@]}" apt-get update >"$logs/apt.log" 2>&1 || { tail -n 5 "$logs/apt.log" >&2; die "apt-get update failed (log: $logs/apt.log)"; }
      # shellcheck disable=SC2086
      "${root[@]}" apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o APT::Status-Fd=3 $missing \
        3> >(awk -F: '/^(dlstatus|pmstatus)/ { p = int($3); if (p >= last + 10) { last = p; printf "setup:   %s %d %%\n", $1 == "dlstatus" ? "fetched" : "installed", p > "/dev/stderr" } if ($1 != kind) { kind = $1; last = 0 } }') \
        >>"$logs/apt.log" 2>&1 || { tail -n 5 "$logs/apt.log" >&2; die "apt-get install failed (log: $logs/apt.log)"; } ;;
    fedora)
      # What another package provides is there: zlib-ng-compat-devel is Fedora's zlib-devel.
      missing=$(packages | while read -r p; do rpm -q --whatprovides "$p" >/dev/null 2>&1 || echo -n "$p "; done)
      [ -z "$missing" ] || die "please install what is missing, then run this again:
  sudo dnf install $missing" ;;
    arch)
      # shellcheck disable=SC2046 # prints what is neither installed nor provided, and then fails
      missing=$(pacman -T $(packages) | tr '\n' ' ' || true)
      [ -z "$missing" ] || die "please install what is missing, then run this again:
  sudo pacman -S --needed $missing" ;;
    *) say "unknown distribution: going on with what is installed; if the configuration fails, install the
       equivalents of these Debian packages: $(packages | tr '\n' ' ')" ;;
  esac
}

# --- Debian's archive, another suite: one package or source file, checked by apt's own signatures ----
trixie_apt() {
  local site key=/usr/share/keyrings/debian-archive-keyring.gpg apt=$cache/apt
  # This machine's own mirror, asked of its own apt: no address stands in this repository.
  # shellcheck disable=SC2016 # apt's own $(SITE)
  site=$(apt-get indextargets --format '$(SITE)' "Codename: $(. /etc/os-release; echo "${VERSION_CODENAME:-}")" 2>/dev/null | sed -n 1p)
  # shellcheck disable=SC2016
  [ -n "$site" ] || site=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | sed -n 1p)
  [ -n "$site" ] || return 1
  mkdir -p "$apt/lists/partial" "$apt/archives/partial"
  printf 'deb [signed-by=%s] %s trixie main\ndeb-src [signed-by=%s] %s trixie main\n' "$key" "$site" "$key" "$site" >"$apt/sources.list"
  local options=(-o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::Lists="$apt/lists"
    -o Dir::Cache="$apt" -o APT::Get::List-Cleanup=0 -o APT::Sandbox::User=root -o Acquire::Retries=2)
  [ -e "$apt/updated" ] || { apt-get "${options[@]}" update && touch "$apt/updated"; }
  apt-get "${options[@]}" "$@"
}

# --- Meson: Mesa 25 wants 1.1 or later ---------------------------------------------------------------
meson=meson
at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }
find_meson() {
  # The distribution's own: another meson first in PATH may belong to a python without mako.
  for meson in /usr/bin/meson meson; do
    command -v "$meson" >/dev/null && at_least 1.1.0 "$("$meson" --version 2>/dev/null)" && return 0
  done
  meson=$cache/meson/usr/bin/meson
  [ -e "$cache/meson/.done" ] && return 0
  [ "$distro" = debian ] || die "Meson 1.1 or later is needed, and this machine has $(meson --version 2>/dev/null || echo none)"
  say "fetching a Meson new enough (this machine's: $(/usr/bin/meson --version 2>/dev/null || echo none); Mesa needs 1.1)"
  rm -rf "$cache/meson"; mkdir -p "$cache/meson"
  (cd "$cache/meson" && trixie_apt download meson) >"$logs/meson-fetch.log" 2>&1 ||
    { tail -n 5 "$logs/meson-fetch.log" >&2; die "Meson could not be fetched (log: $logs/meson-fetch.log)"; }
  dpkg -x "$cache"/meson/meson_*.deb "$cache/meson"
  # A launcher of our own: the package's looks in Debian's dist-packages. build.ninja calls it again to reconfigure.
  cat >"$meson" <<EOT
#!/usr/bin/python3
import sys
sys.path.insert(0, "$cache/meson/usr/lib/python3/dist-packages")
from mesonbuild.mesonmain import main
sys.exit(main())
EOT
  chmod +x "$meson"
  touch "$cache/meson/.done"
}

# --- Mesa's tarball, with the patches that subprojects/mesa.wrap names ----------------------------------
wrap() { sed -n "s/^$1 *= *//p" subprojects/mesa.wrap; }
patches() { local p; for p in $(wrap diff_files | tr ',' ' '); do echo "subprojects/packagefiles/$p"; done; }
# A developer's own tree is left alone. Where a patch would still apply to it, this says so: systems with an LLVM of 19 or
# older need none of them.
check_own_mesa() {
  local patch
  if [ "${llvm:-99}" -lt 20 ]; then return 0; fi
  for patch in $(patches); do
    if patch -p1 -N -f -s --dry-run -d "$1" <"$patch" >/dev/null 2>&1; then
      say "$1 is your own Mesa, without $(basename "$patch"). $(head -n 1 "$patch") To apply it:
  patch -p1 -d $(readlink -f "$1") <$PWD/$patch"
    fi
  done
}
fetch_mesa() {
  local directory tarball file want stamp
  directory=subprojects/$(wrap directory) tarball=subprojects/packagecache/$(wrap source_filename) want=$(wrap source_hash)
  # A developer's own checkout (a link), or a tree that an earlier run unpacked to its end.
  if [ -L "$directory" ]; then check_own_mesa "$directory"; return 0; fi
  # shellcheck disable=SC2046 # names of our own, without spaces
  stamp=$(cat subprojects/mesa.wrap $(patches) | sha256sum)
  if [ -e "$directory/meson.build" ] && [ "$(cat "$directory/.agx-runner-unpacked" 2>/dev/null)" = "$stamp" ]; then return 0; fi
  if [ ! -e "$tarball" ] && [ "$distro" = debian ]; then
    say "fetching Mesa's source ($(wrap source_filename), 47 MB) from Debian's source package"
    file=$cache/mesa; mkdir -p "$file" subprojects/packagecache
    if (cd "$file" && trixie_apt source --download-only --tar-only mesa) >"$logs/mesa-fetch.log" 2>&1; then
      for f in "$file"/mesa_*.orig.tar.xz; do
        [ "$(sha256sum "$f" | cut -d' ' -f1)" = "$want" ] && cp "$f" "$tarball.part" && mv "$tarball.part" "$tarball"
      done
      [ -e "$tarball" ] || say "Debian's source package is not the pinned tarball; the wrap will fetch it from upstream"
    else
      say "Debian's source package could not be fetched (log: $logs/mesa-fetch.log); the wrap will fetch it from upstream"
    fi
  fi
  if [ -e "$tarball" ] && [ "$(sha256sum "$tarball" | cut -d' ' -f1)" != "$want" ]; then
    rm -f "$tarball"
    die "$tarball had the wrong hash and was removed; run this again"
  fi
  rm -rf "$directory"
  say "unpacking Mesa"
  "$meson" subprojects download mesa >"$logs/mesa-unpack.log" 2>&1 ||
    { tail -n 5 "$logs/mesa-unpack.log" >&2; die "Mesa's source could not be had (log: $logs/mesa-unpack.log)"; }
  echo "$stamp" >"$directory/.agx-runner-unpacked"
}

# --- Piglit's OpenCL program tests, and its compute shaders -------------------------------------------------------------------
# Its package is 2 GB of GL tests for the most part: only the OpenCL files are taken out of it. Tests that
# need them are skipped where they cannot be had.
fetch_piglit() {
  local to=$cache/piglit shaders=$cache/piglit-compute
  [ -e "$to/.done" ] && [ -e "$shaders/.done" ] && return 0
  [ "$distro" = debian ] || return 0
  say "fetching Piglit's tests (34 MB) from Debian's package"
  rm -rf "$to" "$shaders"; mkdir -p "$to/deb" "$shaders"
  if (cd "$to/deb" && apt-get download -o APT::Sandbox::User=root piglit) >"$logs/piglit-fetch.log" 2>&1 &&
    dpkg-deb --fsys-tarfile "$to"/deb/piglit_*.deb | tar -x -C "$to" --strip-components=5 --wildcards \
      './usr/lib/*/piglit/tests/cl/program/execute' './usr/lib/*/piglit/generated_tests/cl' &&
    dpkg-deb --fsys-tarfile "$to"/deb/piglit_*.deb | tar -x -C "$shaders" --strip-components=5 --wildcards \
      './usr/lib/*/piglit/tests/spec/arb_compute_shader' './usr/lib/*/piglit/tests/spec/arb_shader_*' '*/cs-*.shader_test'; then
    rm -rf "$to/deb"; touch "$to/.done" "$shaders/.done"
  else
    say "Piglit could not be fetched (log: $logs/piglit-fetch.log): tests that need it will be skipped"
  fi
}

# --- aarch64: what its programs link with and run on --------------------------------------------------
# Unpacked from Debian's arm64 packages into a folder: nothing of the machine is changed, and no root is needed.
sysroot=$cache/aarch64/root
fetch_sysroot() {
  local to=$cache/aarch64 want deb link apt
  want=$(packages_for target | sha256sum)
  [ "$(cat "$to/.done" 2>/dev/null)" = "$want" ] && return 0
  say "fetching the aarch64 libraries (200 MB) from Debian's packages"
  rm -rf "$to"; mkdir -p "$to"/{lists,archives}/partial "$sysroot"/usr/{bin,lib,sbin}
  for deb in bin lib sbin; do ln -s "usr/$deb" "$sysroot/$deb"; done
  : >"$to/status" # an empty machine, so that apt takes all that the packages need
  apt=(apt-get -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists="$to/lists" -o Dir::State::status="$to/status"
    -o Dir::Cache="$to" -o APT::Sandbox::User=root -o Acquire::Retries=2)
  # shellcheck disable=SC2046
  { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends --download-only $(packages_for target); } >"$logs/aarch64.log" 2>&1 ||
    { tail -n 5 "$logs/aarch64.log" >&2; die "the aarch64 libraries could not be fetched (log: $logs/aarch64.log)"; }
  for deb in "$to"/archives/*.deb; do # without LLVM's static libraries, which are most of it
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$sysroot" --keep-directory-symlink --no-same-owner --wildcards \
      --exclude='*/lib/llvm-*/lib/lib*.a' --exclude='./usr/share/doc*' --exclude='./usr/share/man*' --exclude='./usr/lib/python3*'
  done
  find "$sysroot" -type l -lname '/*' | while read -r link; do ln -sfnr "$sysroot$(readlink "$link")" "$link"; done
  rm -rf "$to/archives" "$to/lists"
  echo "$want" >"$to/.done"
}

# --- configure and build -----------------------------------------------------------------------------
# --use all: gcc's warnings are errors in our code, so the build itself shows that there is none.
strict=(-Dwerror=true -Dmesa:werror=false)
configure() {
  local native=$cache/native.ini config options=()
  [ "$use" != all ] || options=("${strict[@]}")
  if [ -e "$build/build.ninja" ] && [ -n "${AGX_RUNNER_LLVM:-}" ] && [ "$(cat "$build/.llvm" 2>/dev/null)" != "$llvm" ]; then
    say "$build was configured with another LLVM: configuring it anew with LLVM $llvm"
    rm -rf "$build"
  fi
  if [ -e "$build/build.ninja" ]; then
    [ "$use" = all ] && [ ! -e "$build/.werror" ] || return 0
    "$meson" configure "$build" "${strict[@]}" && touch "$build/.werror"
    return
  fi
  for config in "/usr/bin/llvm-config-$llvm" /usr/bin/llvm-config; do [ -x "$config" ] && break; done
  printf "[binaries]\nllvm-config = '%s'\npython3 = '/usr/bin/python3'\npython = '/usr/bin/python3'\n" "$config" >"$native"
  local files=(--native-file "$native") log=$logs/configure-$use.log
  if [ "$use" = cross ]; then
    sed -e "s|@SYSROOT@|$sysroot|" -e "s|@LLVM@|$llvm|" ci/aarch64.ini >"$cache/aarch64.ini"
    files+=(--cross-file "$cache/aarch64.ini")
  fi
  # GNU ld takes 2.7 s for each of 150 programs that contain Mesa, mold 0.1 s. Linkers of cross compilers have other names.
  if [ "$use" != cross ] && command -v mold >/dev/null; then export CC_LD=mold CXX_LD=mold; fi
  say "configuring $build (log: $log)"
  rm -rf "$build"
  # shellcheck disable=SC2086
  "$meson" setup "$build" "${files[@]}" "${options[@]}" ${MESON_OPTIONS:-} >"$log" 2>&1 ||
    { tail -n 15 "$log" >&2; rm -f "$build/build.ninja"; die "configuration failed (log: $log)"; }
  [ "$use" != all ] || touch "$build/.werror"
  [ -z "$llvm" ] || echo "$llvm" >"$build/.llvm"
}

# What a person starts, and what it preloads. Mesa's drivers are configured, but nothing of them is built.
compile() {
  local targets=() target progress='' last='' pause=1
  for target in agx_runner/agx-runner compiler/program/agx-compile fuzz/agx-fuzz vgpu/shim/libagx-vgpu.so vgpu/recorder/libagx-record.so \
    drivers/layer/libagx-sources.so \
    drivers/host/agx-{opencl,vulkan,opengl}-host; do # some options and missing headers leave them out
    if grep -q "^build $target:" "$build/build.ninja"; then targets+=("$target"); fi
  done
  case $use in
    test|all|driver) targets+=(meson-test-prereq meson-benchmark-prereq) ;;
  esac
  [ -z "$only" ] || IFS=, read -ra targets <<<"$only"
  if [[ $(ninja -C "$build" -n "${targets[@]}" 2>/dev/null) == *'no work to do'* ]]; then return 0; fi
  say "building (Mesa's compiler takes two minutes the first time)"
  ninja -C "$build" "${targets[@]}" >"$logs/build-$use.log" 2>&1 &
  local ninja=$!
  if [ -t 2 ]; then pause=0.1; fi
  while kill -0 $ninja 2>/dev/null; do
    progress=$(grep -aoE '^\[[0-9]+/[0-9]+\]' "$logs/build-$use.log" 2>/dev/null | tail -n 1 || true)
    if [ "$progress" != "$last" ]; then
      last=$progress
      if [ -t 2 ]; then printf '\rsetup:   built %s ' "$progress" >&2; else say "  built $progress"; fi
    fi
    for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 $ninja 2>/dev/null && sleep $pause; done
  done
  if [ -t 2 ]; then printf '\n' >&2; fi
  wait $ninja || { grep -aE -A 20 'FAILED|error:|ninja:' "$logs/build-$use.log" | head -n 40 >&2; die "the build failed (log: $logs/build-$use.log)"; }
}

# A warning, once for each libclc: most kernels need none of the functions that it may lack.
check_libclc() {
  local code=0
  ci/check-libclc --once "$cache/libclc" "$build/agx_runner/agx-runner" >"$logs/libclc.log" 2>&1 || code=$?
  case $code in
    0) ;;
    98) say "warning: $(cat "$logs/libclc.log")" ;;
    *) say "warning: $(tail -n 3 "$logs/libclc.log")" ;;
  esac
}

case $print in
  --meson) find_meson; echo "$meson"; exit 0 ;;
  --piglit) fetch_piglit; exit 0 ;;
  --clang) if command -v "clang-$llvm" >/dev/null; then echo "clang-$llvm"; else echo clang; fi; exit 0 ;;
esac
install_packages
find_meson
fetch_mesa
case $use in test|all|driver) fetch_piglit; ci/fetch-corpus "$cache/corpus" ;; cross) fetch_sysroot ;; esac
configure
compile
case $use in cross) ;; *) check_libclc ;; esac
