#!/usr/bin/env bash
# One check of an installed copy; tests/install/CMakeLists.txt lists the checks and sets the variables.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -ra flags <<<"-std=c++20 $CXXFLAGS"
export PKG_CONFIG_PATH=$PREFIX/$LIBDIR/pkgconfig LD_LIBRARY_PATH=$PREFIX/$LIBDIR

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

copy() {
    rm -rf "$PREFIX"
    cmake --install "$BUILD" --prefix "$PREFIX"
}

# The output of the consumer when everything it links comes from the copy.
expect_consumer() {
    local said
    said=$("$1")
    [[ $said == "500 labels" ]] || fail "the consumer said: $said"
}

find_package() {
    cmake -S "$here/consumer" -B "$work" -D CMAKE_PREFIX_PATH="$PREFIX" -D CMAKE_CXX_COMPILER="$CXX" -D CMAKE_CXX_FLAGS="$CXXFLAGS" -D WANTED="${VERSION%.*}"
    cmake --build "$work"
    expect_consumer "$work/consumer"
    "$work/tensors" || fail "the consumer of arrays failed"
    ! cmake -S "$here/consumer" -B "$work/other" -D CMAKE_PREFIX_PATH="$PREFIX" -D WANTED=99 >"$work/log" 2>&1 ||
        fail "another major version was taken for this one"
}

pkg_config() {
    local flags_of
    "$CXX" "${flags[@]}" "$here/consumer/consumer.cpp" $(pkg-config --cflags --libs fairstream-transports) -o "$work/consumer"
    expect_consumer "$work/consumer"
    # The command in the demo's first lines, unchanged.
    cp "$SOURCE/demos/embedding_service.cpp" "$work"
    flags_of=$(sed -n 's#^///  *g++ -std=c++20 ##p' "$work/embedding_service.cpp")
    [[ -n $flags_of ]] || fail "the demo does not say how it is compiled"
    grep -qF "$flags_of" "$SOURCE/engine/README.md" || fail "the page of the engine does not say how the demo is compiled"
    (cd "$work" && eval "$(printf '%q ' "$CXX" "${flags[@]}") $flags_of" && ./embedding_service)
}

# Each header compiles on its own, with only the standard library and the other headers.
headers() {
    local header count=0
    cd "$PREFIX/include"
    ! grep -rnE '^ *# *include' . | grep -vE '#include <(fairstream/[a-z_/]+\.hpp|[a-z_]+)>$' |
        grep -vE '^./fairstream/xtensor\.hpp:.*#include <xtensor/[a-z_]+\.hpp>$' || fail "a header needs more"
    while read -r header; do
        printf '#include <%s>\n#include <%s>\n' "$header" "$header" >"$work/$((count++)).cpp"
    done < <(find fairstream -name '*.hpp')
    ((count >= 20)) || fail "only $count headers"
    find "$work" -name '*.cpp' -print0 |
        xargs -0 -n 1 -P "$(nproc)" "$CXX" "${flags[@]}" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I.
}

files() {
    local name
    for name in engine transports; do
        [[ -L $PREFIX/$LIBDIR/libfairstream-$name.so && -f $PREFIX/$LIBDIR/libfairstream-$name.so.$VERSION ]] ||
            fail "libfairstream-$name has no version"
        [[ $(pkg-config --modversion "fairstream-$name") == "$VERSION" ]] || fail "fairstream-$name.pc has another version"
    done
    env -u LD_LIBRARY_PATH "$PREFIX/bin/fairstream" check --config "$PREFIX/share/fairstream/loans.toml"
    grep -q "^.SH NAME" "$PREFIX/share/man/man1/fairstream-fit.1"
    grep -q "^complete " "$PREFIX/share/bash-completion/completions/fairstream"
    capnp compile -o- "$PREFIX/share/fairstream/fairstream.capnp" >"$work/schema"
    # Links of installed pages lead to installed files.
    local page link dead=()
    while read -r page; do
        for link in $(sed '/^```/,/^```/d' "$page" | grep -oP '\]\(\K[^)#]+' | grep -v ^http); do
            [[ -e $(dirname "$page")/$link ]] || dead+=("$page: $link")
        done
    done < <(find "$PREFIX/share/doc" -name '*.md')
    ((${#dead[@]} == 0)) || fail "dead links:" "${dead[@]}"
    # Installed files name neither internal targets nor folders of this machine.
    ! grep -rnE 'fairstream_schemas|fairstream_warnings' "$PREFIX/$LIBDIR/cmake" || fail "an inner target leaked"
    ! grep -rnF -e "$BUILD" -e "$SOURCE" "$PREFIX/$LIBDIR/cmake" "$PREFIX/$LIBDIR/pkgconfig" || fail "a path leaked"
}

"$1"
