/** A curve of straight pieces that meet, fitted to noisy values that follow one another. */

import { mean } from "./mean.ts";

/** What a fitted curve says. Positions count values from 0. */
export interface PiecewiseLine {
  /** Where pieces begin, and last where the curve ends; two at least. */
  readonly knots: readonly number[];
  readonly at: (position: number) => number;
  readonly change: (from: number, to: number) => CurveChange;
  /** Degrees of freedom of the errors. */
  readonly degrees: number;
}

/** How much the curve changes from one position to another. */
export interface CurveChange {
  readonly value: number;
  /** Standard error, with the autocorrelation of the noise. */
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
  /** Sum of the squares of what is left. */
  readonly squares: number;
  /** How much of each value is in a sum of the coefficients with these weights. */
  readonly shares: (weights: readonly number[]) => readonly number[];
}

/** Rows of equal length. */
type Matrix = readonly (readonly number[])[];

/** Functions of the position; the curve is their weighted sum. */
type Basis = readonly ((x: number) => number)[];

/** The most values that are fitted one by one; longer series are averaged over equal stretches first. */
export const FINEST_VALUES = 32;
/** Values at either end that no knot splits off: fewer are noise. */
const LEAST_PIECE = 2;
/** Each is tried as the correlation of neighboring values. */
const AUTOCORRELATIONS = [0, 0.25, 0.5, 0.7] as const;
/** As many values as would show the known noise, so that few values are judged by it and many by themselves. */
const KNOWN_VALUES = 10;
/** Share of a column's squares below which others add up to it. */
const DEPENDENT = 1e-9;
/** Share of the squared range that is rounding. */
const ROUNDING = 1e-7;

/**
 * The curve with no to three inner knots, and noise of first-order autocorrelation, that has the least information criterion
 * n log(S / n) + p log(n) n / (n - p), with S the squares of what is left and p the parameters (Schwarz, "Estimating the dimension of a
 * model", 1978; the last factor against too many parameters for few values, as Hurvich and Tsai 1989). `values`: five at least, finite.
 * `knownVariances`: of the noise of each value, where their own samples show that; noise between values adds to it. A change is no
 * surer than the values that it rests on: a curve through the only value that differs leaves nothing of its noise.
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
  // What is known of the noise counts as so many more values with it.
  const extra = knownVariances === null ? 0 : KNOWN_VALUES;
  const known = knownVariances === null ? 0 : extra * mean(variances);
  const count = length + extra;
  const score = ({ squares, rho, basis, knots }: (typeof fits)[number]): number => {
    // The positions of knots and the size of the noise are parameters too.
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

/** The lowest and the highest. */
export function bounds(values: readonly number[]): readonly [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

/** Means of equal stretches, counted from the end so that the newest is whole. */
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

/** For each number of inner knots those that leave the least squares, found among all; the first has none. */
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
      // This computes only the two numbers of `eliminate(left, j)` that are needed.
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

/** Least squares of noise with autocorrelation `rho`: each row less `rho` times the one before (Prais and Winsten 1954). */
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

/** The products of all pairs of columns. */
function gram(columns: Matrix): Matrix {
  return columns.map((column) => columns.map((other) => dot(column, other)));
}

/** What is left of all products when each column has lost its part along the column `pivot`. */
function eliminate(products: Matrix, pivot: number): Matrix {
  const own = products[pivot] ?? [];
  return products.map((row) => {
    const share = at(row, pivot) / at(own, pivot);
    return row.map((value, i) => value - share * at(own, i));
  });
}

/** By Gauss and Jordan; `matrix` has a positive definite inverse, as products of independent columns have. */
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
