"""A certificate as a folder of Coq files: `Model.v`, `Evidence.v`, `Answer.v` and a Makefile."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from prover.certificate.coq import attackers, compositions, groups, observers, processes, profiles, trials
from prover.certificate.coq import model as models
from prover.certificate.coq.programs import program_theorems
from prover.certificate.coq.sentences import not_covered
from prover.certificate.coq.statements import theorems
from prover.errors import NotSupported

LARGEST = 20_000_000
"""Characters of all files together, beyond which Coq would need too much memory to read them."""

MAKEFILE = """\
# make PROOFS=.../proofs: coqc accepts the answer, or refuses it.
PROOFS ?= proofs

answer: ; $(MAKE) -C "$(PROOFS)" theorem FOLDER="$(CURDIR)"

.PHONY: answer
"""

EVIDENCE = """\
From Coq Require Import List.
From Prover Require Import Decode.
Import ListNotations.
"""

ANSWER = """\
From Here Require Model Evidence.
From Coq Require Import List NArith QArith.
From Prover Require Import Chain Distance Bisimilar Process Seen Answers.
Import ListNotations.
Open Scope Q_scope.
"""
"""Evidence is not imported: nothing that it defines has a name by which an answer calls anything else."""

COMPOSITION_ANSWER = ANSWER.replace("Chain Distance Bisimilar Process Seen Answers", "Laws Composition")
TRIALS_ANSWER = ANSWER.replace("Chain Distance Bisimilar Process Seen Answers", "Chain Laws Trials Replaced")
PROGRAM_ANSWER = """\
From Here Require Model Evidence.
From Coq Require Import List NArith ZArith QArith.
From Prover.programs Require Import Program Geometric Claims.
Import ListNotations.
Open Scope Q_scope.
"""
PROFILE_ANSWER = PROGRAM_ANSWER.replace("Geometric Claims", "Geometric Approximate ProfileClaims")
LAPLACE_ANSWER = PROGRAM_ANSWER.replace("Geometric Claims", "Laplace LaplaceClaims")
OBSERVER_ANSWER = PROGRAM_ANSWER.replace("Geometric Claims", "Geometric Observer ObserverClaims")
LAPLACE_OBSERVER_ANSWER = PROGRAM_ANSWER.replace(
    "Geometric Claims", "Laplace LaplaceObserver LaplaceObserverClaims"
)


def files(certificate: bytes) -> dict[str, str]:
    """The texts of the folder, by name, for a certificate that the checker has accepted.

    Raises NotSupported if the proofs do not cover its claim.
    """
    whole: Mapping[str, Any] = json.loads(certificate)
    kind = whole["model"]["type"]
    model: Iterable[str]
    if kind == "labelled-markov-decision-process":
        process = processes.read(whole["model"])
        model, (evidence, answers) = processes.text(process), attackers.theorems(process, whole)
        words = ANSWER
    elif kind == "labelled-markov-chain":
        chain = models.read(whole["model"])
        model, (evidence, answers) = models.text(chain), theorems(chain, whole)
        words = ANSWER
    elif kind == "threshold-program" and whole["claim"]["kind"] == "profile-table":
        model, (evidence, answers) = profiles.profile_theorems(whole)
        words = PROFILE_ANSWER
    elif kind == "threshold-program" and observers.hides(whole):
        model, (evidence, answers) = observers.observer_theorems(whole)
        words = OBSERVER_ANSWER if "noise" in whole["model"] else LAPLACE_OBSERVER_ANSWER
    elif kind == "threshold-program":
        model, (evidence, answers) = program_theorems(whole)
        words = PROGRAM_ANSWER if "noise" in whole["model"] else LAPLACE_ANSWER
    elif kind == "composition" and "alpha" in whole["claim"] and _has_chains(whole):
        composed = trials.read(whole)
        model, (evidence, answers) = trials.text(composed), trials.theorems(composed, whole)
        words = TRIALS_ANSWER
    elif kind == "composition" and "alpha" in whole["claim"]:
        mechanisms = compositions.read(whole)
        model, (evidence, answers) = compositions.text(mechanisms), compositions.theorems(mechanisms, whole)
        words = COMPOSITION_ANSWER
    elif kind == "composition":
        raise not_covered("claims about compositions other than of delta")
    else:
        raise not_covered(f"models of type {kind}")
    texts = {
        "Model.v": "\n".join(model) + "\n",
        "Evidence.v": "\n".join((EVIDENCE, *evidence)),
        "Answer.v": "\n".join((words, *answers)),
        "Makefile": MAKEFILE,
    }
    size = sum(map(len, texts.values()))
    if size > LARGEST:
        raise NotSupported(
            f"the theorem has {size} characters; Coq reads at most {LARGEST}", code="not-in-coq"
        )
    return texts


def _has_chains(whole: Mapping[str, Any]) -> bool:
    return any("chain" in part for part in whole["model"]["parts"])


def expected(texts: Mapping[str, str], certificate: bytes) -> tuple[int, int]:
    """Seconds and megabytes that coqc needs for the texts of a certificate, roughly, as measured on one
    core."""
    size = sum(map(len, texts.values()))
    real = any(words in texts["Answer.v"] for words in (LAPLACE_ANSWER, LAPLACE_OBSERVER_ANSWER))
    seconds, megabytes = (5, 470) if real else (3, 400)  # to load the proofs
    if PROFILE_ANSWER in texts["Answer.v"]:
        seconds += profiles.seconds(json.loads(certificate))
    if any(words in texts["Answer.v"] for words in (OBSERVER_ANSWER, LAPLACE_OBSERVER_ANSWER)):
        seconds += groups.seconds(json.loads(certificate))
    if COMPOSITION_ANSWER in texts["Answer.v"]:
        seconds += compositions.seconds([compositions.read(json.loads(certificate))])
    if TRIALS_ANSWER in texts["Answer.v"]:
        seconds += trials.seconds(trials.read(json.loads(certificate)))
    return seconds + size // 30_000, megabytes + size // 1200
