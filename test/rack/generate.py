# SPDX-License-Identifier: Apache-2.0
"""Queries, forms and multipart bodies as clients send them, and as nobody should send them.

Each strategy gives (content type, bytes).
"""

from hypothesis import strategies as st

GOOD_WORDS = st.sampled_from(["a", "b", "c"] * 8 + ["x1", "key", "0", "a b", "-", "\xc3\xa4"])
WORDS = st.one_of(*[GOOD_WORDS] * 9, st.sampled_from(
    ["", "%", "\xff", "\n", "a\nb", "\0", "\xed\xa0\x80"]))
BRACKETS = st.sampled_from(["[]", "[", "]", "[[", "]]", "[]]", "][", "[[]]"])
NOISE = st.text("ab[]=&;%+ \n\0\xff\xc3\xa4[]&=", max_size=20)


@st.composite
def names(draw, careful=True):
    """a, a[], a[b], a[][b] and what resembles them."""
    words = GOOD_WORDS if careful else WORDS
    name = draw(words)
    for _ in range(draw(st.integers(0, 3))):
        if careful or draw(st.integers(0, 3)):
            name += draw(st.sampled_from(["[]", f"[{draw(words)}]", "[]" + f"[{draw(words)}]"]))
        else:
            name += draw(st.one_of(BRACKETS, words))
    return name


@st.composite
def escaped(draw, text, careful):
    """The text as a browser writes it, as a careless client writes it, or with bad escapes."""
    out = ""
    style = draw(st.integers(0, 7 if careful else 9))
    for character in text:
        if style < 5 and not (character.isalnum() and character < "\x80") and character not in "[]-":
            out += f"%{ord(character):02x}"
        elif style < 8 and character in "[]=&;+%":
            out += f"%{ord(character):02X}"
        else:
            out += "+" if character == " " and style % 2 else character
    if not careful and draw(st.integers(0, 9)) == 0:
        out += draw(st.sampled_from(["%", "%z", "%2", "%zz", "%%20", "%41", "%C3", "%c3%a4"]))
    return out


@st.composite
def pairs(draw, separators=("&", "&", "&", ";", "& ", "&&", "; ")):
    out, careful = "", draw(st.integers(0, 3)) > 0
    for number in range(draw(st.integers(0, 8))):
        if number:
            out += draw(st.sampled_from(separators))
        name = draw(escaped(draw(names(careful)), careful))
        value = draw(escaped(draw(st.one_of(*[WORDS] * 4, NOISE)), careful))
        shape = draw(st.integers(0, 9))
        out += name if shape == 1 else f"{name}={value if shape else ''}"
    return out


TEXTS = st.one_of(*[pairs()] * 9, NOISE)


def for_a_url(text):
    """What httpd takes in a URL: no controls, no space, no fragment."""
    return "".join(c if c > " " and c not in "#\x7f" else f"%{ord(c):02x}" for c in text)


def in_bytes(text):
    return text.encode("latin-1")


urls = TEXTS.map(lambda text: ("", in_bytes(for_a_url(text))))
queries = TEXTS.map(lambda text: ("", in_bytes(text)))
forms = st.tuples(
    st.sampled_from(["application/x-www-form-urlencoded"] * 6
                    + ["application/x-www-form-urlencoded; charset=utf-8", "", "multipart/mixed",
                       "Application/X-WWW-Form-Urlencoded;x"]),
    st.one_of(*[TEXTS] * 9, pairs().map(lambda text: text + "\0")).map(in_bytes))


# -- multipart ---------------------------------------------------------------------------------

VALUES = st.one_of(
    st.sampled_from(["a.txt", "a b.txt", "C:\\dir\\a.txt", "/etc/a", "a%20b", "a%zz", "%41", "\xc3\xa4",
                     "\xff", "", "a;b.txt", "a\\\"b", "a\\b", "x=y", "a'b", "UTF-8''a%C3%A4"]),
    st.text("ab;\"\\ %='*/\xff.", max_size=8))


@st.composite
def dispositions(draw):
    name = draw(st.one_of(names(), VALUES))
    kind = draw(st.sampled_from(["form-data"] * 8 + ["attachment", "file", ""]))
    quote = draw(st.sampled_from(['"'] * 6 + [""]))
    out = f"Content-Disposition: {kind}"
    parameters = [f"name={quote}{name}{quote}"] if draw(st.integers(0, 7)) else []
    if draw(st.integers(0, 2)) == 0:
        key = draw(st.sampled_from(["filename"] * 8 + ["filename*", "filename*0", "FILENAME"]))
        parameters.append(f"{key}={quote}{draw(VALUES)}{quote}")
    if draw(st.integers(0, 9)) == 0:
        parameters.insert(0, draw(st.sampled_from(["x=y", "size=\"1\"", "x", "*=1", "filename=b"])))
    return out + "".join(draw(st.sampled_from(["; "] * 8 + [";", " ; "])) + one for one in parameters)


OTHER_HEADS = st.sampled_from([
    "Content-Type: text/plain", "Content-Type: text/plain; charset=utf-8",
    "Content-Type: text/plain; charset=\"utf-8\"; x=y", "content-type: image/png", "Content-Type:x",
    "Content-Transfer-Encoding: binary", "Content-ID: <id1>", "Content-ID:", "X-Other: 1", ":", ""])

DATA = st.one_of(
    st.text("ab\r\n-\xff\0", max_size=30),
    st.sampled_from(["", "\r\n", "\n", "--", "\r\n--", "\r\n--B", "--B", "\r\n--B-", "value",
                     "a\r\n--Bx\r\nb", "x" * 300]))


@st.composite
def parts(draw, end):
    heads = [draw(dispositions())] if draw(st.integers(0, 19)) else []
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 1, 2]))):
        heads.insert(draw(st.integers(0, len(heads))), draw(OTHER_HEADS))
    return end.join([*heads, "", draw(DATA)])


@st.composite
def multiparts(draw):
    """A body with the boundary B; one in five is damaged afterwards."""
    end = draw(st.sampled_from(["\r\n"] * 30 + ["\n"]))
    out = draw(st.sampled_from([""] * 20 + ["preamble\r\n", "\r\n", "--", "--X\r\n", "--B--\r\n"]))
    for _ in range(draw(st.sampled_from([0, 1, 2, 2, 3, 3, 4]))):
        out += f"--B{draw(st.sampled_from([''] * 60 + [' ', 'x', '--']))}{end}{draw(parts(end))}{end}"
    out += draw(st.sampled_from(["--B--" + end] * 40 + ["--B--", "--B-", "--B", "", "--B\r\n", "--B--x"]))
    out += draw(st.sampled_from([""] * 20 + ["epilogue", "\r\n--B\r\n\r\n"]))
    if draw(st.integers(0, 4)) == 0 and out:
        at = draw(st.integers(0, len(out) - 1))
        count = draw(st.integers(0, 6))
        out = out[:at] + draw(st.text("\r\n-B:;=\"\0x ", max_size=3)) + out[at + count:]
    return (draw(st.sampled_from(TYPES)), in_bytes(out))


TYPES = ["multipart/form-data; boundary=B"] * 50 + [
    "multipart/form-data; boundary=\"B\"", "multipart/form-data; charset=utf-8; boundary=B; x=y",
    "multipart/mixed; boundary=B", "multipart/related;boundary=B", "Multipart/Form-Data; Boundary=B",
    "multipart/form-data; boundary =B", "multipart/form-data; boundary=B; boundary=C",
    "multipart/form-data; boundary=", "multipart/form-data", "multipart/form-data, boundary=B",
    "multipart/form-data; boundary=B,C", "multipart/form-data; boundary=C"]

KINDS = {"url": urls, "query": queries, "form": forms, "multipart": multiparts()}
