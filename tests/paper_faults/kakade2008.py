"""Faults of the agents of kakade2008 that its claims must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/parts/exploring_label.py
    the label played is kept as the guess [lemma-4]
    - self.open.open(self.decisions, rule.exploration.guess[:, None])
    + self.open.open(self.decisions, labels[:, None])

    --- agents/multiclass/banditron.py
    a right explored label is added without its weight 1/P [lemma-4]
    - add_row(weights, indices, values, width, played, 1.0 / p)
    + add_row(weights, indices, values, width, played, 1.0)

    a right explored label raises the guess, as the listing prints it [lemma-4, algorithm-1]
    - add_row(weights, indices, values, width, played, 1.0 / p)
    + add_row(weights, indices, values, width, guess, 1.0 / p)

    a right guess is not lowered by 1 [lemma-4, algorithm-1]
    - guess, 1.0 / p - 1.0)
    + guess, 1.0 / p)

    a wrong answer raises the guess [lemma-4, algorithm-1]
    -     add_row(weights, indices, values, width, guess, -1.0)
    +     add_row(weights, indices, values, width, guess, 1.0)

    a right answer counts for the guess, whatever was played [lemma-4, algorithm-1]
    - guess, played, reward == 1.0,
    + guess, guess, reward == 1.0,

    --- agents/parts/exploring_label.py
    every round of a block draws the same number [algorithm-1, low-noise]
    - keys[i, 1], decisions[i] + s, 0)
    + keys[i, 1], decisions[i], 0)

    P has gamma/k^2 [lemma-4, lemma-5]
    - if label == guess else 0.0) + gamma / n_labels
    + if label == guess else 0.0) + gamma / n_labels / n_labels

    it never explores [floor, algorithm-1]
    -     if u < gamma:
    +     if u < 0.0:

    it explores with probability gamma/k [floor, algorithm-1]
    -     if u < gamma:
    +     if u < gamma / n_labels:

    it explores labels by a number that is not spread over all of them [floor, algorithm-1]
    - min(int(u / gamma * n_labels), n_labels - 1)
    + min(int(u * n_labels), n_labels - 1)

    --- agents/numerics/label_scores.py
    the last pair of a row is not added [lemma-4, algorithm-1]
    -     column = np.uint64(label)
    -     for p in range(width):
    -         weights
    +     column = np.uint64(label)
    +     for p in range(width - 1):
    +         weights

    --- agents/multiclass/perceptron.py
    the Perceptron does not lower its guess [algorithm-1, theorem-1]
    - width, guess, -1.0)
    + width, guess, 0.0)

    the Perceptron moves away from the true label [algorithm-1, theorem-1]
    - width, label, 1.0)
    + width, label, -1.0)

    --- agents/parts/active_set.py
    refuted hypotheses go on voting [halving]
    - votes[predictions[h]] += active[i, h]
    + votes[predictions[h]] += 1

    halving follows the first hypothesis, not the plurality [halving, grid-halving]
    - labels[i] = first_largest(votes)
    + labels[i] = predictions[np.argmax(active[i])]

    a mistake removes the hypotheses that did not vote for it [halving]
    - predictions[h] != played[i]
    + predictions[h] == played[i]

    --- agents/multiclass/grid_halving.py
    the grid lacks the factor sqrt(d) [grid-halving]
    - math.sqrt(min(2 * complexity * dim, 1e300))
    + math.sqrt(min(2 * complexity, 1e300))

    the grid's spacing does not shrink with D [grid-halving]
    - math.sqrt(min(2 * complexity * dim, 1e300))
    + math.sqrt(min(dim, 1e300))
    """
)
