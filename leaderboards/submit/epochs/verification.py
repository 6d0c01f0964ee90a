"""Verifies a submission: scores it once on an epoch's instances."""

import math
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from leaderboards.console.progress import Advance, silent
from leaderboards.defaults import VERIFICATION
from leaderboards.run.confinement import Confinement
from leaderboards.run.store.row_schema import SCHEMA
from leaderboards.run.store.store import Store
from leaderboards.submit import scoring
from leaderboards.submit.catalogue import Submission
from leaderboards.submit.epochs import auditing
from leaderboards.submit.epochs import epoch as epochs
from leaderboards.submit.epochs.epoch import Epoch
from leaderboards.submit.epochs.instances import instances
from leaderboards.submit.ledger import events
from leaderboards.submit.manifest import canonical

NEEDED = "full"  # the isolation that verification needs


@epochs.alone
def verify(
    submission: Submission,
    name: str | Path,
    secret_path: Path,
    store: Path | None = None,
    *,
    confinement: Confinement,
    workers: int | None = None,
    today: date,
    progress: Advance = silent,
) -> Epoch:
    """Score a submission on an epoch's instances, once.

    The ledger records the start before anything is played, and the end. A stopped verification
    continues only with the same files. It may take ``confinement.total`` seconds, summed over its
    workers: ``defaults.VERIFICATION`` if that is not finite. What is not played by then has failed.

    Raises
    ------
    ValueError
        If the isolation is not full; the epoch is closed, revealed or not yet open; this version
        was verified in it before; anything differs from what was committed to; or the agent cannot
        be made.
    """
    path, epoch = epochs.path_of(name), epochs.load(name)
    if confinement.isolation != NEEDED:
        raise ValueError(
            f"verification needs the isolation {NEEDED!r}, and here it is "
            f"{confinement.isolation!r}: an agent must reach neither the seeds nor the store"
        )
    if epoch.secret is not None or today > epoch.closes:
        raise ValueError(f"epoch {epoch.id} closed on {epoch.closes}")
    if submission.withdrawn():
        raise ValueError(f"{submission.manifest.title} is withdrawn")
    auditing.check_frozen(path, epoch)
    entries = auditing.ledger_of(path).entries()
    if not events(entries, auditing.OPENED):
        raise ValueError(f"epoch {epoch.id} is not open: banditgym epoch open {epoch.id} first")
    drawn = instances(epoch, epoch.unlocked(secret_path))
    own = submission.identity
    about = {**own, "isolation": confinement.isolation, "audit": confinement.audit}
    _check_first(entries, about, epoch)
    if not any(own.items() <= entry.items() for entry in events(entries, auditing.BEGUN)):
        auditing.note(path, epoch, auditing.BEGUN, today, **about)
    suite, kept = drawn.suite, Store(store or auditing.store_of(secret_path))
    done = [row for row in kept.rows(suite.hash) if row.spec == submission.spec]
    total = confinement.total if math.isfinite(confinement.total) else VERIFICATION
    try:
        rows = scoring.completed(
            submission,
            suite,
            kept,
            done,
            replace(confinement, resources=suite.resources, total=total),
            refusals=drawn.refusals,
            workers=workers,
            progress=progress,
        )
    except ValueError:
        auditing.note(path, epoch, auditing.ENDED, today, **about, error="it could not be played")
        raise
    # The ledger is public, and settings are hidden until the reveal, so the ledger must hold no
    # text and no count that a submission can influence.
    named = auditing.keyed_digest(rows, epoch.unlocked(secret_path))
    auditing.note(path, epoch, auditing.ENDED, today, **about, schema=SCHEMA, rows_hmac=named)
    return epoch


def _check_first(entries: list[dict[str, Any]], about: dict[str, Any], epoch: Epoch) -> None:
    """Check that this version was not verified in the epoch, nor started with other files."""
    for entry in events(entries, auditing.BEGUN, auditing.ENDED):
        if canonical(entry["name"]) != canonical(about["name"]):
            continue
        if entry["version"] != about["version"]:
            continue
        if entry["event"] == auditing.BEGUN and entry.get("audit", False) != about["audit"]:
            raise ValueError(
                f"the verification of {about['name']}=={about['version']} was begun "
                f"{'without' if about['audit'] else 'with'} --one-process-per-replicate: "
                "continue in the same way"
            )
        if entry["event"] == auditing.ENDED or entry["hash"] != about["hash"]:
            raise ValueError(
                f"{about['name']}=={about['version']} was verified in epoch {epoch.id} on "
                f"{entry['date']}: a version is verified once an epoch"
            )
