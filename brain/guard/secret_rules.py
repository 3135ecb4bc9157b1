"""The forms of the secrets that services hand out: one row each, found by a fixed part and then matched.

A fixed part (`marker`) is looked for with `in`, which costs next to nothing; the pattern is tried only where it stands.
`digits_before` is how many digits of the secret may stand before the marker.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from brain.guard.secret_values import is_mixed_token, is_token


@dataclass(frozen=True)
class Rule:
    """One form of a secret; the group `body`, where there is one, must pass the test."""

    name: str
    marker: str
    pattern: re.Pattern[str]
    test: Callable[[str], bool] = is_token
    digits_before: int = 0


def _prefixed(name: str, marker: str, body: str, test: Callable[[str], bool] = is_token) -> Rule:
    return Rule(name, marker, re.compile(rf"(?<![A-Za-z0-9]){re.escape(marker)}(?P<body>{body})"), test)


def _each(name: str, markers: str, body: str, test: Callable[[str], bool] = is_token) -> tuple[Rule, ...]:
    return tuple(_prefixed(name, marker, body, test) for marker in markers.split())


def _inside(name: str, marker: str, pattern: str, *, digits_before: int = 0) -> Rule:
    return Rule(name, marker, re.compile(pattern), is_token, digits_before)


_URL: Final = r"[\w-]"  # the URL-safe base64 alphabet
RULES: Final[tuple[Rule, ...]] = (
    _prefixed("cabecao-confirm-token", "cbc_ct_", r"[\w-]{12,300}"),
    *_each("aws-access-key", "AKIA ASIA ABIA ACCA", r"(?![A-Z0-9]*EXAMPLE)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    *_each("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{30,255}"),
    _prefixed("github-fine-grained-token", "github_pat_", r"\w{40,255}"),
    *_each("gitlab-token", "glpat- gldt- glrt- glcbt- glptt- glsoat- glagent- GR1348941", rf"{_URL}{{20,300}}"),
    *_each(
        "slack-token",
        "xoxa- xoxb- xoxe- xoxe.xoxp- xoxo- xoxp- xoxr- xoxs- xapp-",
        r"[A-Za-z0-9-]{20,300}",
        is_mixed_token,
    ),
    _inside(
        "slack-webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<body>[\w/]{30,300})",
    ),
    _inside("discord-webhook", "/api/webhooks/", r"/api/webhooks/\d{15,300}/(?P<body>[\w-]{40,300})"),
    _prefixed("google-api-key", "AIza", rf"{_URL}{{35}}(?![\w-])"),
    _prefixed("google-client-secret", "GOCSPX-", rf"{_URL}{{24,300}}"),
    _prefixed("google-access-token", "ya29.", rf"{_URL}{{30,300}}"),
    *_each("openai-key", "sk-proj- sk-svcacct- sk-admin-", rf"{_URL}{{32,300}}"),
    _prefixed("anthropic-key", "sk-ant-", rf"{_URL}{{32,300}}"),
    _prefixed("openrouter-key", "sk-or-", rf"{_URL}{{32,300}}"),
    _prefixed("openai-key", "sk-", r"[A-Za-z0-9]{20,300}", is_mixed_token),
    *_each("model-provider-key", "gsk_ xai- pplx- r8_ nvapi- fw_ csk-", rf"{_URL}{{32,300}}", is_mixed_token),
    _prefixed("hugging-face-token", "hf_", r"[A-Za-z0-9]{30,300}"),
    *_each("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[A-Za-z0-9]{16,300}"),
    _prefixed("stripe-webhook-secret", "whsec_", r"[A-Za-z0-9+/]{24,300}"),
    _prefixed("npm-token", "npm_", r"[A-Za-z0-9]{36}"),
    _prefixed("pypi-token", "pypi-AgE", rf"{_URL}{{50,300}}"),
    _prefixed("rubygems-token", "rubygems_", r"[0-9a-f]{48}"),
    _prefixed("docker-token", "dckr_pat_", rf"{_URL}{{20,300}}"),
    _inside(
        "telegram-bot-token", ":AA", rf"(?<![0-9])[0-9]{{8,10}}:(?P<body>AA{_URL}{{33}})(?![\w-])", digits_before=10
    ),
    _prefixed("twilio-key", "SK", r"[0-9a-f]{32}(?![0-9A-Za-z])", is_mixed_token),
    _prefixed("sendgrid-key", "SG.", rf"{_URL}{{16,32}}\.{_URL}{{32,64}}"),
    _prefixed("mailgun-key", "key-", r"[0-9a-f]{32}(?![0-9A-Za-z])", is_mixed_token),
    *_each("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    *_each("azure-key", "AccountKey= SharedAccessKey=", r"[A-Za-z0-9+/]{40,88}={0,2}"),
    _prefixed("azure-shared-access-signature", "sig=", r"(?:[A-Za-z0-9+/]|%2[BbFf]){40,60}(?:=|%3[Dd])"),
    *_each("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}"),
    _prefixed("mercado-pago-token", "APP_USR-", r"[0-9]{6,300}-[0-9]{6}-[0-9a-f]{32}-[0-9]+"),
    *_each("vault-token", "hvs. hvb.", rf"{_URL}{{24,300}}"),
    *_each(
        "workspace-token",
        "ntn_ lin_api_ figd_ ATATT3x PMAK- dapi sbp_ glsa_ sntrys_",
        rf"{_URL}{{32,300}}",
        is_mixed_token,
    ),
    _prefixed("tailscale-key", "tskey-", r"[A-Za-z0-9-]{20,300}", is_mixed_token),
    _prefixed("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,300}"),
    _inside("jwt", "eyJ", rf"(?<![\w-])eyJ{_URL}{{8,4000}}\.eyJ{_URL}{{8,8000}}\.(?P<body>{_URL}{{16,300}})"),
)
MARKERS: Final = tuple((rule.marker, rule) for rule in RULES)
