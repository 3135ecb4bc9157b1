"""Words that say little, of Portuguese and English, accents folded; left out where any term will do."""

from __future__ import annotations

from typing import Final

STOP_WORDS: Final = frozenset(
    """
a ao aos aquela aquelas aquele aqueles aquilo as ate cada com como da das de dela delas dele deles depois desde do dos
e ela elas ele eles em entre era eram essa essas esse esses esta estao estas estava estavam este estes eu foi foram ha
isso isto ja la lhe lhes mais mas me mesmo meu meus minha minhas muito muitos na nao nas nem no nos nossa nossas nosso
nossos num numa o onde os ou para pela pelas pelo pelos por porque pra qual quais quando quanto quantos que quem se seja
sem ser sera seu seus so sobre sua suas tambem te tem tendo ter teve tinha tinham tu tua tuas tudo um uma umas uns voce
voces vos
about after all also an and any are at be because been before being both but by can could did does doing down during
each few for from further had has have having he her here hers him his how i if in into is it its itself just more most
my myself nor not now of off on once only or other our ours out over own same she should some such than that the their
theirs them then there these they this those through to too under until up very was we were what when where which while
who whom why will with would you your yours
""".split()  # noqa: SIM905 (a list of two hundred quoted words is read by nobody)
)
