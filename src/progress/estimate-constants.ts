/** A low and a high end, as shares of what `scaleOf` gives. */
type Ends = readonly [low: number, high: number];

/** What the numbers mean stands beside them. */
interface Constants {
  readonly leastMs: number;
  readonly size: { readonly power: number; readonly powerTrust: number; readonly most: number };
  readonly pace: { readonly power: number; readonly most: number };
  readonly unheard: number;
  readonly overrun: number;
  readonly losses: Readonly<Record<string, readonly number[]>>;
  readonly mean: number;
  readonly lossTrust: number;
  readonly sharpness: number;
  readonly leastLoss: number;
  readonly missFloor: number;
  readonly spreads: readonly (readonly Ends[])[];
  readonly usualMiss: number;
  readonly spreadTrust: number;
  readonly first: {
    readonly lindy: readonly number[];
    readonly regime: readonly number[];
    readonly again: number;
    readonly steady: { readonly furthest: number; readonly trust: number };
    readonly tail: Readonly<
      Record<"sent" | "sentSilent" | "plain" | "plainSilent" | "backlog" | "longest", number>
    >;
    readonly flow: Readonly<
      Record<"fetched" | "spooled" | "kept", { readonly weight: number; readonly most: number }>
    >;
    readonly twice: number;
    readonly keptUp: number;
    readonly spreads: readonly Ends[];
    readonly unseen: readonly Ends[];
    readonly blind: Ends;
  };
}

/** Every number of the estimate that was set by measuring. Where each came from: docs/decisions/0230. */
export const constants: Constants = {
  /** Without earlier runs nothing is said before this. */
  leastMs: 10_000,
  /** How the time goes with the size, until earlier runs of different sizes tell; and how firmly that is held. */
  size: { power: 0.4, powerTrust: 0.05, most: 2.5 },
  /** To which power the speed of this run, against that of earlier ones, goes on. */
  pace: { power: 0.4, most: 3 },
  /** A run is believed to go on unheard for this share of its length. */
  unheard: 0.3,
  /** Past its usual end a run is believed to go on for about this share of it. */
  overrun: 0.08,
  /** What the rules missed on other workloads, as a share of the run, by stretch of the run. */
  losses: {
    clock: [0.14, 0.13, 0.1],
    place: [0.15, 0.15, 0.1],
    paced: [0.18, 0.16, 0.1],
    carried: [0.12, 0.1, 0.07],
    carriedPaced: [0.15, 0.1, 0.08],
    own: [0.58, 0.25, 0.12],
  },
  /** The rules are blended by a mean of this power: 1 would be the plain one, 0 the geometric. */
  mean: 0.3,
  /** So many earlier runs say as much about a rule as other workloads do. */
  lossTrust: 2,
  /** How sharply the better rule is preferred, and what is added to every loss so that luck does not decide. */
  sharpness: 4,
  leastLoss: 0.03,
  /** The share of the whole time that is added to the told one to measure misses by: near the end a second is much. */
  missFloor: 0.05,
  /** Between what four of five misses lay on other workloads, with 1, 2 and 3 earlier runs, by stretch. */
  spreads: [
    [
      [-0.3, 0.25],
      [-0.38, 0.38],
      [-0.47, 0.91],
    ],
    [
      [-0.2, 0.21],
      [-0.25, 0.25],
      [-0.41, 0.59],
    ],
    [
      [-0.17, 0.18],
      [-0.22, 0.25],
      [-0.39, 0.42],
    ],
  ],
  /** The usual miss on earlier runs of the same thing, by which one's own are weighed. */
  usualMiss: 0.175,
  spreadTrust: 1.5,
  /** A first run: what its own rates, and the plain guess "as long again", count at shares 0, ¼, ½, ¾ and 1. */
  first: {
    lindy: [1, 0.95, 0.5, 0.25, 0.05],
    regime: [0.1, 0.1, 0.1, 0.1, 0.1],
    /** "As long again" times this. */
    again: 0.4,
    /** Work that was never further than this from an even pace counts as steady, and how fast it outweighs the guess. */
    steady: { furthest: 0.45, trust: 2.2 },
    tail: {
      /** All was read: what is left of the whole time, and of the silence since, where data is sent and elsewhere. */
      sent: 0.17,
      sentSilent: 0.15,
      plain: 0.01,
      plainSilent: 0.4,
      /** Bytes that movers read ahead of what they have sent, and how long sending them may last against the rest. */
      backlog: 75e6,
      longest: 0.22,
    },
    /** How much the bytes of the mover's process count, and how far they may reach against the time that has passed. */
    flow: {
      fetched: { weight: 0.6, most: 1 },
      spooled: { weight: 0.6, most: 1.5 },
      kept: { weight: 0.8, most: 2.5 },
    },
    /** So much more than there is was written: the mover writes everything twice. So much of what was read is sent: it keeps up. */
    twice: 1.02,
    keptUp: 0.5,
    spreads: [
      [-0.53, 5.13],
      [-0.31, 2.05],
      [-0.4, 1.18],
      [-0.42, 2.13],
      [-0.45, 3.25],
    ],
    /** The same where nobody says what the process moves, as with upstream's agents. */
    unseen: [
      [-0.54, 8.21],
      [-0.67, 2.85],
      [-0.61, 0.94],
      [-0.61, 2.07],
      [-0.65, 3.83],
    ],
    /** While nothing is counted. */
    blind: [-0.05, 6.91],
  },
};
