"""Faults of the agents of kakade2008 that its claims must see."""

from leaderboards.papers.fault import Fault

_BANDITRON = "agents/multiclass/banditron.py"
_SCORES = "agents/numerics/label_scores.py"
_PERCEPTRON = "agents/multiclass/perceptron.py"
_ACTIVE = "agents/parts/active_set.py"
_GRID = "agents/multiclass/grid_halving.py"
_LEMMAS = ("lemma-4", "algorithm-1")

FAULTS = (
    Fault(
        name="the label played is kept as the guess",
        file="agents/parts/exploring_label.py",
        old="self.open.open(self.decisions, guesses)",
        new="self.open.open(self.decisions, labels[:, None])",
        claims=("lemma-4",),
    ),
    Fault(
        name="a right explored label is added without its weight 1/P",
        file=_BANDITRON,
        old="add_row(weights, indices, values, width, played, 1.0 / p)",
        new="add_row(weights, indices, values, width, played, 1.0)",
        claims=("lemma-4",),
    ),
    Fault(
        name="a right explored label raises the guess, as the listing prints it",
        file=_BANDITRON,
        old="add_row(weights, indices, values, width, played, 1.0 / p)",
        new="add_row(weights, indices, values, width, guess, 1.0 / p)",
        claims=_LEMMAS,
    ),
    Fault(
        name="a right guess is not lowered by 1",
        file=_BANDITRON,
        old="guess, 1.0 / p - 1.0)",
        new="guess, 1.0 / p)",
        claims=_LEMMAS,
    ),
    Fault(
        name="a wrong answer raises the guess",
        file=_BANDITRON,
        old="    add_row(weights, indices, values, width, guess, -1.0)",
        new="    add_row(weights, indices, values, width, guess, 1.0)",
        claims=_LEMMAS,
    ),
    Fault(
        name="P has gamma/k^2",
        file=_SCORES,
        old="if label == guess else 0.0) + gamma / n_labels",
        new="if label == guess else 0.0) + gamma / n_labels / n_labels",
        claims=("lemma-4", "lemma-5"),
    ),
    Fault(
        name="it never explores",
        file=_SCORES,
        old="    if u < gamma:",
        new="    if u < 0.0:",
        claims=("floor", "algorithm-1"),
    ),
    Fault(
        name="it explores with probability gamma/k",
        file=_SCORES,
        old="    if u < gamma:",
        new="    if u < gamma / n_labels:",
        claims=("floor", "algorithm-1"),
    ),
    Fault(
        name="it explores labels by a number that is not spread over all of them",
        file=_SCORES,
        old="min(int(u / gamma * n_labels), n_labels - 1)",
        new="min(int(u * n_labels), n_labels - 1)",
        claims=("floor", "algorithm-1"),
    ),
    Fault(
        name="every round of a block draws the same number",
        file=_BANDITRON,
        old="keys[i, 1], decisions[i] + s, 0)",
        new="keys[i, 1], decisions[i], 0)",
        claims=("algorithm-1", "low-noise"),
    ),
    Fault(
        name="it is told whether the guess was right, not the label played",
        file=_BANDITRON,
        old="right = played == label\n",
        new="right = guess == label\n",
        claims=("algorithm-1",),
    ),
    Fault(
        name="the last pair of a row is not added",
        file=_SCORES,
        old="""    column = np.uint64(label)
    for p in range(width):
        weights""",
        new="""    column = np.uint64(label)
    for p in range(width - 1):
        weights""",
        claims=_LEMMAS,
    ),
    Fault(
        name="the Perceptron does not lower its guess",
        file=_PERCEPTRON,
        old="width, guess, -1.0)",
        new="width, guess, 0.0)",
        claims=("algorithm-1", "theorem-1"),
    ),
    Fault(
        name="the Perceptron moves away from the true label",
        file=_PERCEPTRON,
        old="width, label, 1.0)",
        new="width, label, -1.0)",
        claims=("algorithm-1", "theorem-1"),
    ),
    Fault(
        name="refuted hypotheses go on voting",
        file=_ACTIVE,
        old="votes[predictions[h]] += active[i, h]",
        new="votes[predictions[h]] += 1",
        claims=("halving",),
    ),
    Fault(
        name="halving follows the first hypothesis, not the plurality",
        file=_ACTIVE,
        old="labels[i] = first_largest(votes)",
        new="labels[i] = predictions[np.argmax(active[i])]",
        claims=("halving", "grid-halving"),
    ),
    Fault(
        name="a mistake removes the hypotheses that did not vote for it",
        file=_ACTIVE,
        old="predictions[h] != played[i]",
        new="predictions[h] == played[i]",
        claims=("halving",),
    ),
    Fault(
        name="the grid lacks the factor sqrt(d)",
        file=_GRID,
        old="math.sqrt(min(2 * complexity * dim, 1e300))",
        new="math.sqrt(min(2 * complexity, 1e300))",
        claims=("grid-halving",),
    ),
    Fault(
        name="the grid's spacing does not shrink with D",
        file=_GRID,
        old="math.sqrt(min(2 * complexity * dim, 1e300))",
        new="math.sqrt(min(dim, 1e300))",
        claims=("grid-halving",),
    ),
)
