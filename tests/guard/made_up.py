"""Secrets and look-alikes made at run time, so that no token-like text lies in the repository."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URL_SAFE = LETTERS + "_-"
UPPER = string.ascii_uppercase + "234567"


def some(chance: random.Random, length: int, alphabet: str = LETTERS) -> str:
    return "".join(chance.choice(alphabet) for _ in range(length))


def coded(chance: random.Random, length: int) -> str:
    return base64.b64encode(chance.randbytes(length)).decode()


def armour(chance: random.Random, kind: str) -> str:
    lines = "\n".join(coded(chance, 48) for _ in range(5))
    return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----"


def signed(chance: random.Random) -> str:
    head, claims = (
        base64.urlsafe_b64encode(text).decode().rstrip("=") for text in (b'{"alg":"HS256"}', b'{"sub":"maria"}')
    )
    return f"{head}.{claims}.{some(chance, 43, URL_SAFE)}"


def mixed(chance: random.Random) -> str:
    return some(chance, 9) + chance.choice("!@#%*") + some(chance, 3, string.digits) + "x"


Maker = Callable[[random.Random], str]
TOKENS: dict[str, Maker] = {
    "aws": lambda r: "AK" + "IA" + some(r, 16, UPPER),
    "github": lambda r: "gh" + r.choice("pousr") + "_" + some(r, 36),
    "github fine-grained": lambda r: "github_" + "pat_" + some(r, 22) + "_" + some(r, 59),
    "gitlab": lambda r: "glp" + "at-" + some(r, 20, URL_SAFE),
    "slack": lambda r: "xox" + "b-" + some(r, 12, string.digits) + "-" + some(r, 24),
    "slack webhook": lambda r: "https://hooks.slack" + f".com/services/T{some(r, 9)}/B{some(r, 9)}/{some(r, 24)}",
    "google": lambda r: "AI" + "za" + some(r, 35, URL_SAFE),
    "openai project": lambda r: "sk-" + "proj-" + some(r, 80, URL_SAFE),
    "openai": lambda r: "sk-" + some(r, 20) + "T3Blbk" + "FJ" + some(r, 20),
    "anthropic": lambda r: "sk-" + "ant-api03-" + some(r, 93, URL_SAFE),
    "stripe live": lambda r: "sk_" + "live_" + some(r, 24),
    "stripe test": lambda r: "sk_" + "test_" + some(r, 24),
    "stripe webhook": lambda r: "wh" + "sec_" + some(r, 32),
    "npm": lambda r: "np" + "m_" + some(r, 36),
    "pypi": lambda r: "pypi-" + "AgEIcHlwaS5vcmc" + some(r, 70, URL_SAFE),
    "hugging face": lambda r: "h" + "f_" + some(r, 34),
    "telegram": lambda r: some(r, 10, string.digits) + ":A" + "A" + some(r, 33, URL_SAFE),
    "twilio": lambda r: "S" + "K" + some(r, 32, HEX),
    "sendgrid": lambda r: "S" + "G." + some(r, 22, URL_SAFE) + "." + some(r, 43, URL_SAFE),
    "mailgun": lambda r: "ke" + "y-" + some(r, 32, HEX),
    "digitalocean": lambda r: "dop" + "_v1_" + some(r, 64, HEX),
    "cabecao": lambda r: "cbc" + "_ct_tofyb1_" + some(r, 43, URL_SAFE),
    "jwt": signed,
}
OTHERS: dict[str, Maker] = {
    "rsa key": lambda r: armour(r, "RSA " + "PRIVATE KEY"),
    "openssh key": lambda r: armour(r, "OPENSSH " + "PRIVATE KEY"),
    "pgp key": lambda r: armour(r, "PGP " + "PRIVATE KEY BLOCK"),
    "encrypted key": lambda r: armour(r, "RSA " + "PRIVATE KEY").replace(
        "KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\n\n", 1
    ),
    "password in url": lambda r: f"postgres://app:{some(r, 16)}@db.example.org/base",
    "bearer": lambda r: f"Authorization: Bearer {some(r, 40)}",
    "basic": lambda r: "Authorization: Basic " + base64.b64encode(f"maria:{mixed(r)}".encode()).decode(),
    "azure": lambda r: f"AccountName=atlas;AccountKey={coded(r, 64)};",
    "azure signature": lambda r: f"https://a.example.net/c?se=2030&sig={some(r, 22)}%2B{some(r, 20)}%3D",
    "senha": lambda r: f"senha: {mixed(r)}",
    "password": lambda r: f'password = "{mixed(r)}"',
    "bold": lambda r: f"**Senha:** `{mixed(r)}`",
    "said in prose": lambda r: f"A senha do banco é {mixed(r)}",
    "table": lambda r: f"| senha | {mixed(r)} |",
    "folded yaml": lambda r: f"password: >-\n  {mixed(r)}",
    "json": lambda r: f'{{"client_secret": "{some(r, 28)}7a"}}',
    "environment": lambda r: f"DB_PASSWORD={mixed(r)}",
    "camel case": lambda r: f'dbPassword: "{mixed(r)}"',
    "hex key": lambda r: f"api_key = '{some(r, 32, HEX)}'",
    "query string": lambda r: f"https://example.org/?access_token={some(r, 38)}a1&user=maria",
    "weak but real": lambda r: f"senha: marola{r.randint(1000, 9999)}",
}
HARMLESS: dict[str, Maker] = {
    "commit": lambda r: "commit " + some(r, 40, HEX),
    "uuid": lambda r: "-".join(some(r, length, HEX) for length in (8, 4, 4, 4, 12)),
    "ulid": lambda r: "01" + some(r, 24, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"),
    "ulid of a token": lambda r: "token: 01" + some(r, 24, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"),
    "sha256": lambda r: "sha256:" + some(r, 64, HEX),
    "integrity": lambda r: f'"integrity": "sha512-{coded(r, 64)}"',
    "picture": lambda r: f"![x](data:image/png;base64,{coded(r, 3000)})",
    "aws example": lambda r: "AK" + "IAIOSFODNN7EXAMPLE",
    "aws example secret": lambda r: "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    "github placeholder": lambda r: "gh" + "p_" + "x" * 36,
    "dots": lambda r: "sk-" + "...",
    "confirm prefix": lambda r: "O token começa com cbc" + "_ct_ e dura 5 minutos.",
    "angle": lambda r: 'password = "<senha>"',
    "variable": lambda r: "password: ${DB_PASSWORD}",
    "vault": lambda r: 'secret = "{{ vault.db.password1 }}"',
    "call": lambda r: "password = get_password(user1)",
    "index": lambda r: "token = tokens[0]",
    "class": lambda r: "private_key: Ed25519PrivateKey | Ed448PrivateKey",
    "environment call": lambda r: 'api_key = os.environ["API_KEY_2"]',
    "public key": lambda r: "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ" + coded(r, 90) + " maria@example.org",
    "public armour": lambda r: armour(r, "PUBLIC KEY"),
    "certificate": lambda r: armour(r, "CERTIFICATE"),
    "mention": lambda r: "A linha -----BEGIN OPENSSH " + "PRIVATE KEY----- abre o arquivo.",
    "empty armour": lambda r: "-----BEGIN " + "PRIVATE KEY----- ... -----END PRIVATE KEY-----",
    "prose": lambda r: r.choice(
        ["a senha do wi-fi fica no cofre", "O token expira em 5 minutos.", "password: veja o gerenciador"]
    ),
    "where it is": lambda r: "senha: ver-no-cofre-item-12",
    "reference": lambda r: '"secretName": "atlas-credenciais-v2"',
    "address": lambda r: "token_endpoint: https://auth.example.org/token2",
    "moment": lambda r: "token: 2026-11-13T15:10:53Z",
    "number": lambda r: "max_tokens: 8192000",
    "kind": lambda r: "Authorization: Bearer <token>",
    "header name": lambda r: "api_key_header = 'X-Api-Key-2'",
    "service default": lambda r: "postgres://postgres:postgres@localhost/db",
    "documented url": lambda r: "amqp://user:password@localhost",
    "url variable": lambda r: "postgres://app:${PW}@h/db",
    "phone": lambda r: "+55 11 9" + some(r, 4, string.digits) + "-" + some(r, 4, string.digits),
    "isbn": lambda r: "ISBN 978-85-" + some(r, 3, string.digits) + "-0277-8",
    "desenha": lambda r: "Desenha: casa2andares9",
    "prefix then words": lambda r: "`gh" + "p_`\né o começo de um token do GitHub",
}
