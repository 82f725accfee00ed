/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of characters: \p{Alpha}, [[:alpha:]], \p{Greek}. */
#include "rx_reader.h"

#include <stdio.h>
#include <string.h>

#include <mruby/string.h>

static const rx_posix_t posix_properties[] = {
    {"alnum", "alnum", "\\p{Alphabetic}\\p{Nd}", false},
    {"alpha", "alpha", "\\p{Alphabetic}", false},
    {"ascii", "ascii", "\\x00-\\x7f", false},
    {"blank", "blank", "\\p{Zs}\\t", false},
    {"cntrl", "cntrl", "\\p{Cc}", false},
    {"digit", "digit", "\\p{Nd}", false},
    {"graph", "graph", "\\p{White_Space}\\p{Cc}\\p{Cn}\\p{Cs}", true},
    {"lower", "lower", "\\p{Lowercase}", false},
    {"print", "print", "\\p{Cc}\\p{Cn}\\p{Cs}\\p{Zl}\\p{Zp}", true},
    {"punct", "punct", "\\p{P}$+<=>^`|~", false},
    {"space", "space", "\\p{White_Space}", false},
    {"upper", "upper", "\\p{Uppercase}", false},
    {"word", "word", "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}", false},
    {"xdigit", "xdigit", "0-9A-Fa-f", false},
    /* What (?u)\w and \b take for a word has a few more: superscripts and fractions of Latin-1. */
    {RX_WORD, "word", "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\xb2\\xb3\\xb9\\xbc-\\xbe", false},
};

/* Without regard to case, \p{Lower} is any letter that has a case, but \p{^Lower} is what it always
 * is: that is how Ruby sees it. */
static const rx_posix_t any_case = {"", "alpha", "\\p{L&}", false};
static const char *const cases[] = {"upper",
                                    "lower",
                                    "lu",
                                    "ll",
                                    "lt",
                                    "l&",
                                    "lc",
                                    "uppercase",
                                    "lowercase",
                                    "uppercaseletter",
                                    "lowercaseletter",
                                    "titlecaseletter",
                                    "casedletter"};

static bool is_case(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(cases[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The long names of general categories, of which PCRE2 knows the short ones only. */
static const char *const categories[][2] = {
    {"letter", "L"},
    {"uppercaseletter", "Lu"},
    {"lowercaseletter", "Ll"},
    {"titlecaseletter", "Lt"},
    {"casedletter", "L&"},
    {"modifierletter", "Lm"},
    {"otherletter", "Lo"},
    {"mark", "M"},
    {"combiningmark", "M"},
    {"nonspacingmark", "Mn"},
    {"spacingmark", "Mc"},
    {"enclosingmark", "Me"},
    {"number", "N"},
    {"decimalnumber", "Nd"},
    {"letternumber", "Nl"},
    {"othernumber", "No"},
    {"punctuation", "P"},
    {"connectorpunctuation", "Pc"},
    {"dashpunctuation", "Pd"},
    {"openpunctuation", "Ps"},
    {"closepunctuation", "Pe"},
    {"initialpunctuation", "Pi"},
    {"finalpunctuation", "Pf"},
    {"otherpunctuation", "Po"},
    {"symbol", "S"},
    {"mathsymbol", "Sm"},
    {"currencysymbol", "Sc"},
    {"modifiersymbol", "Sk"},
    {"othersymbol", "So"},
    {"separator", "Z"},
    {"spaceseparator", "Zs"},
    {"lineseparator", "Zl"},
    {"paragraphseparator", "Zp"},
    {"other", "C"},
    {"control", "Cc"},
    {"format", "Cf"},
    {"unassigned", "Cn"},
    {"privateuse", "Co"},
    {"surrogate", "Cs"},
};

const rx_posix_t *rx_posix_named(const char *name, size_t length)
{
    size_t i;

    for (i = 0; i < sizeof(posix_properties) / sizeof(posix_properties[0]); i++) {
        if (strlen(posix_properties[i].name) == length &&
            memcmp(posix_properties[i].name, name, length) == 0) {
            return &posix_properties[i];
        }
    }
    return NULL;
}

void rx_add_posix(rx_reader_t *r, rx_set_t *set, const rx_posix_t *p, bool negated, bool ascii)
{
    if (r->flags.ignorecase && is_case(p->name)) {
        if (negated && (r->bytes || ascii)) {
            rx_add(r, set->others, "|(?-i:[[:^");
            rx_add(r, set->others, p->ascii);
            rx_add(r, set->others, ":]])");
            return;
        }
        p = negated ? p : &any_case;
    }
    if (r->bytes || ascii) {
        rx_add(r, set->items, negated ? "[:^" : "[:");
        rx_add(r, set->items, p->ascii);
        rx_add(r, set->items, ":]");
    } else if (negated == p->inverted) {
        rx_add(r, set->items, p->unicode);
    } else {
        rx_add(r, set->others, "|[^");
        rx_add(r, set->others, p->unicode);
        rx_add(r, set->others, "]");
    }
}

mrb_value rx_property(rx_reader_t *r, const char *posix)
{
    rx_set_t set;

    rx_set_new(r, &set);
    rx_add_posix(r, &set, rx_posix_named(posix, strlen(posix)), false, false);
    return rx_set_pattern(r, &set);
}

/* A script by its own name is, for PCRE2, whatever is used along with it, too. */
static bool find_property(rx_reader_t *r, const char *name, char *found, size_t room)
{
    static const char *const forms[] = {"\\p{sc:%s}", "\\p{%s}"};
    size_t i;

    for (i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
        if (strcmp(categories[i][0], name) == 0) {
            snprintf(found, room, "\\p{%s}", categories[i][1]);
            return true;
        }
    }
    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        snprintf(found, room, forms[i], name);
        if (!r->syntax->known || r->syntax->known(r->syntax->data, found)) {
            return true;
        }
    }
    return false;
}

/* {Name} or {^Name}; p is behind \p. */
bool rx_add_property(rx_reader_t *r, rx_set_t *set, bool negated)
{
    const char *at = r->p;
    char name[64], found[80];
    const rx_posix_t *posix;
    size_t n = 0;

    if (r->p >= r->end || *r->p++ != '{') {
        return rx_fail(r, at, "invalid character property name");
    }
    if (r->p < r->end && *r->p == '^') {
        negated = !negated;
        r->p++;
    }
    for (; r->p < r->end && *r->p != '}' && n < sizeof(name) - 1; r->p++) {
        char c = *r->p;

        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            name[n++] = c;
        } else if (c >= 'A' && c <= 'Z') {
            name[n++] = (char)(c - 'A' + 'a');
        } else if (c != ' ' && c != '_' && c != '-') {
            break;
        }
    }
    name[n] = '\0';
    if (n == 0 || r->p >= r->end || *r->p++ != '}') {
        return rx_fail(r, at, "invalid character property name");
    }
    if (strcmp(name, "punct") == 0) {
        /* Unlike [:punct:], without symbols. */
        strcpy(name, "p");
    }
    posix = rx_posix_named(name, n);
    if (!posix && !negated && r->flags.ignorecase && is_case(name)) {
        posix = &any_case;
    }
    if (posix) {
        rx_add_posix(r, set, posix, negated, false);
        return true;
    }
    if (strcmp(name, "any") == 0) {
        rx_add(r, negated ? set->others : set->items, negated ? "|(?!)" : "\\s\\S");
        return true;
    }
    if (strcmp(name, "assigned") == 0) {
        strcpy(name, "cn");
        negated = !negated;
    }
    if (!find_property(r, name, found, sizeof(found))) {
        return rx_fail(r, at, "invalid character property name");
    }
    found[1] = negated ? 'P' : 'p';
    rx_add(r, set->items, found);
    return true;
}

bool rx_read_property(rx_reader_t *r, bool negated, mrb_value *out)
{
    rx_set_t set;

    rx_set_new(r, &set);
    if (!rx_add_property(r, &set, negated)) {
        return false;
    }
    *out = rx_set_pattern(r, &set);
    return true;
}
