"""Words that turn the meaning of a sentence, in Portuguese and English, written without accents.

A wrong merge costs more than a question: what only one of two texts denies, counts or limits is never the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NEGATIONS: Final = frozenset(
    """
nao nunca jamais sem nem nenhum nenhuma nenhuns nenhumas ninguem nada tampouco exceto salvo menos somente apenas
proibido proibida proibidos proibidas
not never without none nobody nothing neither nor cannot except unless only hardly
""".split()  # noqa: SIM905 (a list of quoted words is read by nobody)
)
# “no” denies in English and means “in the” in Portuguese, “so” limits in Portuguese: these say what a sentence is in.
ENGLISH_ONLY: Final = frozenset({"no"})
PORTUGUESE_ONLY: Final = frozenset({"so"})
ENGLISH: Final = frozenset("the of and is are was to in on at for with be have has it this that you we they by".split())  # noqa: SIM905
PORTUGUESE: Final = frozenset("o a os as de da do das dos que em para com um uma e na nas nos ao por pelo pela".split())  # noqa: SIM905

_NUMBER_WORDS: Final = {
    "0": "zero",
    "2": "dois duas two",
    "3": "tres three",
    "4": "quatro four",
    "5": "cinco five",
    "6": "seis six",
    "7": "sete seven",
    "8": "oito eight",
    "9": "nove nine",
    "10": "dez ten",
    "11": "onze eleven",
    "12": "doze twelve",
    "15": "quinze fifteen",
    "20": "vinte twenty",
    "30": "trinta thirty",
    "40": "quarenta forty",
    "50": "cinquenta fifty",
    "60": "sessenta sixty",
    "70": "setenta seventy",
    "80": "oitenta eighty",
    "90": "noventa ninety",
    "100": "cem cento hundred",
    "1000": "mil thousand",
    "1000000": "milhao milhoes million millions",
    "1/2": "metade half",
    "x2": "dobro twice double",
}
NUMBERS: Final[Mapping[str, str]] = {word: number for number, words in _NUMBER_WORDS.items() for word in words.split()}

# One of a row rules out the others: two texts that hold different ones do not say the same.
EXCLUSIVE: Final = (
    ("segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("janeiro", "fevereiro", "marco", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro",
     "dezembro"),
    ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
     "december"),
    ("segundos", "minutos", "horas", "dias", "semanas", "meses", "anos"),
    ("seconds", "minutes", "hours", "days", "weeks", "months", "years"),
    ("manha", "tarde", "noite", "madrugada"),
    ("morning", "afternoon", "evening", "night"),
    ("antes", "depois", "durante"),
    ("before", "after", "during"),
    ("mais", "menos"),
    ("more", "less", "fewer"),
    ("maior", "menor"),
    ("larger", "smaller"),
    ("minimo", "maximo"),
    ("minimum", "maximum"),
    ("acima", "abaixo"),
    ("above", "below"),
    ("ligar ligado", "desligar desligado"),
    ("on", "off"),
    ("ativar ativo ativado habilitar habilitado", "desativar inativo desativado desabilitar desabilitado"),
    ("enable enabled", "disable disabled"),
    ("abrir aberto", "fechar fechado"),
    ("open opened", "close closed"),
    ("permitir permitido", "proibir bloquear bloqueado"),
    ("allow allowed", "deny denied forbid forbidden block blocked"),
    ("incluir incluido", "excluir excluido"),
    ("include included", "exclude excluded"),
    ("aumentar", "diminuir reduzir"),
    ("increase", "decrease reduce"),
    ("aceitar", "recusar rejeitar"),
    ("accept", "reject refuse"),
    ("entrada", "saida"),
    ("input inbound incoming", "output outbound outgoing"),
    ("publico", "privado"),
    ("public", "private"),
    ("interno", "externo"),
    ("internal", "external"),
    ("local", "remoto remote"),
    ("primeiro", "ultimo"),
    ("first", "last"),
    ("esquerda", "direita"),
    ("left", "right"),
    ("crescente", "decrescente"),
    ("ascending", "descending"),
    ("sincrono", "assincrono"),
    ("synchronous", "asynchronous"),
    ("obrigatorio", "opcional"),
    ("required mandatory", "optional"),
    ("ler leitura", "escrever escrita gravar gravacao"),
    ("read", "write"),
    ("producao", "homologacao", "desenvolvimento", "teste"),
    ("production", "staging", "development", "test"),
    ("inicio", "fim final"),
    ("start", "end stop"),
    ("subir", "descer"),
    ("up", "down"),
    ("rapido", "lento"),
    ("fast", "slow"),
    ("melhor", "pior"),
    ("better", "worse"),
    ("verdadeiro", "falso"),
    ("true", "false"),
    ("preferir gostar usar", "evitar detestar odiar"),
    ("prefer like use", "avoid dislike hate"),
    ("comprar", "vender"),
    ("buy", "sell"),
    ("sucesso", "falha erro"),
    ("success", "failure error"),
    ("seguro", "inseguro"),
    ("safe", "unsafe"),
    ("sempre", "raramente"),
    ("always", "rarely seldom"),
    ("cliente", "servidor"),
    ("client", "server"),
    ("semanal", "mensal", "diario", "anual"),
    ("weekly", "monthly", "daily", "yearly"),
)  # fmt: skip
