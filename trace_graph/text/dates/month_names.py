"""Names of months, and what they need around them to be months and not words or people.

Names are folded: lower case, without accents.
"""

from __future__ import annotations

from trace_graph.text.dates.words import folded, word_set

_ENGLISH = "january february march april may june july august september october november december"
_ENGLISH_SHORT = "jan feb mar apr - jun jul aug sep oct nov dec"
_OTHER = """
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
januar februar märz april mai juni juli august september oktober november dezember
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
styczniu lutym marcu kwietniu maju czerwcu lipcu sierpniu wrześniu październiku listopadzie grudniu
"""
_OTHER_SHORT = """
ene feb mar abr may jun jul ago sept oct nov dic
janv févr mars avr mai juin juil août sept oct nov déc
jan feb mrz apr mai jun jul aug sep okt nov dez
gen feb mar apr mag giu lug ago set ott nov dic
jan fev mar abr mai jun jul ago set out nov dez
jan feb mrt apr mei jun jul aug sep okt nov dec
янв фев мар апр май июн июл авг сен окт ноя дек
sty lut mar kwi maj cze lip sie wrz paź lis gru
"""


def _numbered(lists: str) -> dict[str, int]:
    lines = (line.split() for line in lists.strip().splitlines())
    return {folded(name): number for names in lines for number, name in enumerate(names, start=1) if name != "-"}


ENGLISH = _numbered(_ENGLISH) | _numbered(_ENGLISH_SHORT) | {"sept": 9}

OTHER = {name: number for name, number in _numbered(_OTHER).items() if name not in ENGLISH}
"""Whole names of other languages: alone they count only behind a preposition of theirs."""

SHORT = {name: number for name, number in _numbered(_OTHER_SHORT).items() if name not in ENGLISH and name not in OTHER}
"""Short names of other languages, most of them words as well: they count only between a day and a year."""

MONTHS = ENGLISH | OTHER | SHORT

ALSO_WORDS = frozenset({"may", "march", "sept", *_numbered(_ENGLISH_SHORT)})
"""English months that are words or names as well (the short ones: Jan, a mar): alone they count only behind a
preposition."""

PREPOSITIONS = word_set(
    "in on of during by before after since early late mid until till through between from")
OTHER_PREPOSITIONS = word_set(folded("""
en em im in nel a au à w we do od в во с до к seit bis von ab depuis desde hasta até da sinds tot vanaf mois dès avant
antes vor nach de des del ende anfang mitte fin début finales principios fine inizio eind begin конце начале
"""))
