/** Fits a continuous piecewise-linear curve to a noisy series. */

import { mean } from "./mean.ts";

/** A fitted curve. Positions are value indexes, from 0. */
export interface PiecewiseLine {
  /** Positions where pieces begin, and finally where the curve ends; at least two. */
  readonly knots: readonly number[];
  readonly at: (position: number) => number;
  readonly change: (from: number, to: number) => CurveChange;
  /** Degrees of freedom of the error estimate. */
  readonly degrees: number;
}

/** Change of the curve between two positions. */
export interface CurveChange {
  readonly value: number;
  /** Standard error, including the noise's autocorrelation. */
  readonly error: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Fit {
  readonly coefficients: readonly number[];
  /** Covariance of the coefficients, for noise of variance 1. */
  readonly covariance: Matrix;
  /** Residual sum of squares. */
  readonly squares: number;
  /** The contribution of each value to a sum of the coefficients with these weights. */
  readonly shares: (weights: readonly number[]) => readonly number[];
}

/** Rows of equal length. */
type Matrix = readonly (readonly number[])[];

/** Functions of the position; the curve is their weighted sum. */
type Basis = readonly ((x: number) => number)[];

/** Maximum number of values fitted individually; longer series are first averaged over equal segments. */
export const FINEST_VALUES = 32;
/** Minimum number of values before the first and after the last knot; fewer are noise. */
const LEAST_PIECE = 2;
/** Candidate correlations between neighboring values. */
const AUTOCORRELATIONS = [0, 0.25, 0.5, 0.7] as const;
/** Weight of the known noise, in number of values: short series rely on it, long ones on their own residuals. */
const KNOWN_VALUES = 10;
/** A column whose remaining share of squares is below this is linearly dependent on others. */
const DEPENDENT = 1e-9;
/** Share of the squared range that counts as rounding error. */
const ROUNDING = 1e-7;

/**
 * Fits the curve with zero to three inner knots and first-order autocorrelated noise that minimizes the information criterion n log(S / n)
 * + p log(n) n / (n - p), where S is the residual sum of squares and p the number of parameters (Schwarz, "Estimating the dimension of a
 * model", 1978; the last factor penalizes many parameters for few values, as in Hurvich and Tsai 1989). `values`: at least five, finite.
 * `knownVariances`: noise variance per value, if its own samples show it; noise between values adds to it. A change is never more certain
 * than the values it rests on: a curve through the only value that differs leaves no residual there.
 */
export function fitPiecewiseLine(
  values: readonly number[],
  knownVariances: readonly number[] | null = null,
): PiecewiseLine {
  const points = averaged(values);
  const perPoint = points.length / values.length;
  const variances = averaged(knownVariances ?? []).map(({ y }) => y * perPoint);
  const level = { basis: [constant], knots: [] };
  const models = [level, ...bestKnots(points).map((knots) => ({ basis: basisOf(knots), knots }))];
  const fits = models.flatMap((model) =>
    AUTOCORRELATIONS.map((rho) => ({ ...model, ...regress(points, model.basis, rho), rho })),
  );
  const [low, high] = bounds(values);
  const rounding = ROUNDING * (high - low) ** 2;
  const { length } = points;
  // The known noise counts as this many additional values.
  const extra = knownVariances === null ? 0 : KNOWN_VALUES;
  const known = knownVariances === null ? 0 : extra * mean(variances);
  const count = length + extra;
  const score = ({ squares, rho, basis, knots }: (typeof fits)[number]): number => {
    // Knot positions and the noise variance are parameters, too.
    const parameters = basis.length + knots.length + 1;
    if (count - parameters < 2) return Number.POSITIVE_INFINITY;
    const left = (squares + known) / count + rounding + Number.MIN_VALUE;
    const correction = count / (count - parameters);
    return (
      count * Math.log(left) - Math.log(1 - rho ** 2) + parameters * Math.log(count) * correction
    );
  };
  const best = fits.reduce((a, b) => (score(b) < score(a) ? b : a));
  const { basis, coefficients, covariance, shares } = best;
  const degrees = Math.max(1, count - basis.length);
  const variance = (best.squares + known) / degrees + rounding;
  const weights = (x: number): readonly number[] => basis.map((part) => part(x));
  return {
    knots: [0, ...best.knots, values.length - 1],
    at: (position) => dot(weights(position), coefficients),
    change: (from, to) => {
      const start = weights(from);
      const step = weights(to).map((weight, i) => weight - (start[i] ?? 0));
      const scaled = covariance.map((row) => dot(row, step));
      const ofCurve = variance * Math.max(0, dot(step, scaled));
      const squaredShares = shares(step).map((share) => share ** 2);
      const ofValues = dot(variances, squaredShares);
      return { value: dot(step, coefficients), error: Math.sqrt(Math.max(ofCurve, ofValues)) };
    },
    degrees,
  };
}

/** The minimum and maximum; infinite for an empty list. */
export function bounds(values: readonly number[]): readonly [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

/** Means over equal segments, counted from the end so that the newest segment is complete. */
function averaged(values: readonly number[]): readonly Point[] {
  const size = Math.ceil(values.length / FINEST_VALUES);
  const points: Point[] = [];
  for (let end = values.length; end > 0; end -= size) {
    const start = Math.max(0, end - size);
    points.push({ x: (start + end - 1) / 2, y: mean(values.slice(start, end)) });
  }
  return points.reverse();
}

function basisOf(knots: readonly number[]): Basis {
  return [constant, identity, ...knots.map(hinge)];
}

function constant(): number {
  return 1;
}

function identity(x: number): number {
  return x;
}

function hinge(knot: number): (x: number) => number {
  return (x) => Math.max(0, x - knot);
}

/** For each number of inner knots, the knots with the smallest residual, by exhaustive search; the first entry has no knots. */
function bestKnots(points: readonly Point[]): readonly (readonly number[])[] {
  const knots = points.slice(LEAST_PIECE, -LEAST_PIECE).map(({ x }) => x);
  const center = mean(points.map(({ y }) => y));
  const columns = basisOf(knots).map((part) => points.map(({ x }) => part(x)));
  const products = gram([...columns, points.map(({ y }) => y - center)]);
  const bare = eliminate(eliminate(products, 0), 1);
  const first = columns.length - knots.length;
  const found: { gain: number; knots: readonly number[] }[] = [];
  const offer = (gain: number, own: readonly number[]): void => {
    const before = found[own.length];
    if (before !== undefined && before.gain >= gain) return;
    found[own.length] = { gain, knots: own.map((column) => knots[column - first] ?? 0) };
  };
  const isNew = (left: Matrix, column: number): boolean =>
    at(left[column], column) > DEPENDENT * at(products[column], column);
  const target = columns.length;
  offer(0, []);
  for (let i = first; i < target; i += 1) {
    if (!isNew(bare, i)) continue;
    const one = at(bare[i], target) ** 2 / at(bare[i], i);
    offer(one, [i]);
    const left = eliminate(bare, i);
    for (let j = i + 1; j < target; j += 1) {
      if (!isNew(left, j)) continue;
      const two = one + at(left[j], target) ** 2 / at(left[j], j);
      offer(two, [i, j]);
      // Computes only the two entries of `eliminate(left, j)` that are needed.
      for (let k = j + 1; k < target; k += 1) {
        const share = at(left[j], k) / at(left[j], j);
        const own = at(left[k], k) - share * at(left[j], k);
        if (own <= DEPENDENT * at(products[k], k)) continue;
        offer(two + (at(left[k], target) - share * at(left[j], target)) ** 2 / own, [i, j, k]);
      }
    }
  }
  return found.map(({ knots: own }) => own);
}

/** Least squares with autocorrelation `rho`: subtracts `rho` times the previous row from each row (Prais and Winsten 1954). */
function regress(points: readonly Point[], basis: Basis, rho: number): Fit {
  const independent = (value: (point: Point) => number): readonly number[] =>
    points.map((point, i) => {
      const before = points[i - 1];
      return before === undefined
        ? Math.sqrt(1 - rho ** 2) * value(point)
        : value(point) - rho * value(before);
    });
  const columns = basis.map((part) => independent(({ x }) => part(x)));
  const target = independent(({ y }) => y);
  const covariance = inverse(gram(columns));
  const projected = columns.map((column) => dot(column, target));
  const coefficients = covariance.map((row) => dot(row, projected));
  const squares = target.reduce((sum, value, row) => {
    const fitted = columns.reduce(
      (own, column, i) => own + (column[row] ?? 0) * at(coefficients, i),
      0,
    );
    return sum + (value - fitted) ** 2;
  }, 0);
  const shares = (weights: readonly number[]): readonly number[] => {
    const scaled = covariance.map((row) => dot(row, weights));
    const ofRows = points.map((_, row) => {
      const own = columns.reduce((sum, column, i) => sum + at(column, row) * at(scaled, i), 0);
      return row === 0 ? Math.sqrt(1 - rho ** 2) * own : own;
    });
    return ofRows.map((own, row) => own - rho * at(ofRows, row + 1));
  };
  return { coefficients, covariance, squares, shares };
}

/** The inner products of all pairs of columns. */
function gram(columns: Matrix): Matrix {
  return columns.map((column) => columns.map((other) => dot(column, other)));
}

/** All inner products after projecting out column `pivot`. */
function eliminate(products: Matrix, pivot: number): Matrix {
  const own = products[pivot] ?? [];
  return products.map((row) => {
    const share = at(row, pivot) / at(own, pivot);
    return row.map((value, i) => value - share * at(own, i));
  });
}

/** Gauss-Jordan inversion without pivoting; `matrix` must be positive definite, as the Gram matrix of independent columns is. */
function inverse(matrix: Matrix): Matrix {
  const size = matrix.length;
  let rows = matrix.map((row, i) => [
    ...row,
    ...Array.from({ length: size }, (_, j) => (i === j ? 1 : 0)),
  ]);
  for (let pivot = 0; pivot < size; pivot += 1) {
    const own = rows[pivot] ?? [];
    const unit = own.map((value) => value / at(own, pivot));
    rows = rows.map((row, i) =>
      i === pivot ? unit : row.map((value, j) => value - at(row, pivot) * at(unit, j)),
    );
  }
  return rows.map((row) => row.slice(size));
}

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += at(a, i) * at(b, i);
  return sum;
}

function at(row: readonly number[] | undefined, column: number): number {
  return row?.[column] ?? 0;
}
