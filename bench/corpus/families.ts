import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { append, type Chance, clear, crowd, factor, holed, noise, soft, touch } from "./data.ts";
import type { LinkShape } from "./link.ts";

/** What one workload is made of. Sizes are in MB at scale 1, rates in MB/s. */
export interface Family {
  readonly name: string;
  /** Makes the data for the run before number `i`; run 0 finds an empty folder. */
  readonly prepare: (folder: string, i: number, scale: number, next: Chance) => void;
  /** Whether the first data is backed up before anything is recorded. */
  readonly primed?: boolean;
  /** Called each second while the mover runs. */
  readonly meanwhile?: (folder: string, seconds: number) => void;
  readonly link: (i: number, next: Chance) => LinkShape;
  /** Throws the mover's cache away before each run. */
  readonly cold?: boolean;
  /** How many movers run at once on the same link. */
  readonly together?: number;
  /** Also restored, as often as it was backed up. */
  readonly restored?: boolean;
  readonly runs?: number;
  /** A repository on the disk instead of a store behind the link. */
  readonly local?: boolean;
}

const MB = 1_000_000;
const steady =
  (mbps: number, spread = 0.1, delayMs?: number): Family["link"] =>
  (_, next) => {
    const rate = mbps * MB * factor(next, spread);
    return { rate: () => rate, ...(delayMs !== undefined && { delayMs }) };
  };

/** Writes everything anew in each run. */
const fresh = (make: (folder: string, scale: number, next: Chance) => void): Family["prepare"] => {
  return (folder, _, scale, next) => {
    clear(folder);
    make(folder, scale, next);
  };
};

/** Writes everything once; later runs change a share of the files. */
const changing = (
  make: (folder: string, scale: number, next: Chance) => void,
  share: number,
): Family["prepare"] => {
  return (folder, i, scale, next) => {
    if (i === 0) make(folder, scale, next);
    else if (share > 0) touch(folder, share, next);
  };
};

const large = (folder: string, scale: number): void => {
  for (let k = 0; k < 4; k++) noise(join(folder, `large${k}`), 40 * MB * scale);
};

const mixed = (folder: string, scale: number, next: Chance): void => {
  crowd(join(folder, "a-small"), 1500 * scale, 20_000, next);
  noise(join(folder, "m-large"), 60 * MB * scale);
  crowd(join(folder, "z-small"), 1500 * scale, 20_000, next);
};

/** New data after or before data that the store has already; `known` keeps its contents from run to run. */
const known = (newFirst: boolean): Family["prepare"] => {
  return (folder, i, scale, next) => {
    if (i === 0) crowd(join(folder, "m-known"), 300 * scale, 400_000, next);
    // Copies of it under new names: no file has an earlier version, all contents are there.
    const copy = join(folder, newFirst ? "z-copy" : "a-copy");
    clear(copy);
    cpSync(join(folder, "m-known"), join(copy, `run${i}`), { recursive: true });
    noise(join(folder, newFirst ? "a-new" : "z-new"), 70 * MB * scale);
  };
};

/** Every kind of work that the corpus has. */
export const families: readonly Family[] = [
  { name: "few-large", prepare: fresh(large), link: steady(4), restored: true },
  {
    name: "many-small",
    prepare: fresh((f, s, n) => crowd(f, 5000 * s, 12_000, n)),
    link: steady(2),
    restored: true,
  },
  {
    name: "tiny-files",
    prepare: changing((f, s, n) => crowd(f, 12_000 * s, 900, n), 0.3),
    link: steady(0.4, 0.15, 10),
    restored: true,
  },
  {
    name: "unchanged",
    prepare: changing((f, s, n) => crowd(f, 20_000 * s, 1500, n), 0),
    primed: true,
    cold: true,
    link: steady(0.3, 0.1, 5),
  },
  {
    name: "tenth-changed",
    prepare: changing((f, s, n) => crowd(f, 1500 * s, 300_000, n), 0.1),
    primed: true,
    link: steady(1.5),
  },
  { name: "duplicate-first", prepare: known(false), primed: true, link: steady(2.5) },
  { name: "duplicate-last", prepare: known(true), primed: true, link: steady(2.5) },
  {
    name: "sparse",
    prepare: fresh((f, s) => {
      holed(join(f, "a-disk"), 500 * MB * s, 0.12);
      noise(join(f, "b-plain"), 30 * MB * s);
    }),
    link: steady(2.5),
    restored: true,
  },
  { name: "throttled", prepare: fresh(large), link: steady(1.5, 0.05), restored: true },
  {
    name: "varying-link",
    prepare: fresh(large),
    link: (_, next) => {
      const [rate, period] = [3 * MB * factor(next, 0.15), 14 + 12 * next()];
      return { rate: (s) => (Math.floor((2 * s) / period) % 2 === 0 ? 1.8 * rate : 0.4 * rate) };
    },
    restored: true,
  },
  {
    name: "fading-link",
    prepare: fresh(large),
    link: (_, next) => {
      const rate = 6 * MB * factor(next, 0.1);
      return { rate: (s) => Math.max(rate / 6, rate * Math.exp(-s / 40)) };
    },
  },
  {
    name: "burst-credit",
    prepare: fresh((f, s) => noise(join(f, "one"), 200 * MB * s)),
    link: (_, next) => {
      const rate = 2.5 * MB * factor(next, 0.1);
      return { rate: (_s, carried) => (carried < 60 * MB ? 5 * rate : rate) };
    },
    restored: true,
  },
  {
    name: "broken-link",
    prepare: fresh(large),
    link: (_, next) => {
      const [rate, at, length] = [3.5 * MB * factor(next, 0.1), 8 + 20 * next(), 5 + 7 * next()];
      return { rate: (s) => (s > at && s < at + length ? 0 : rate) };
    },
  },
  {
    name: "growing-files",
    prepare: fresh((f, s) => {
      for (let k = 0; k < 3; k++) noise(join(f, `log${k}`), 30 * MB * s);
    }),
    meanwhile: (f, seconds) => {
      if (seconds < 60 && existsSync(join(f, "log2"))) append(join(f, "log2"), 1 * MB);
    },
    link: steady(2.5),
  },
  {
    name: "growing-data",
    prepare: (f, i, s) => {
      for (let k = 0; k < 2; k++) noise(join(f, `day${i}-${k}`), 30 * MB * s);
    },
    link: steady(2),
  },
  {
    name: "slow-tail",
    prepare: fresh(large),
    link: (_, next) => {
      const [rate, limit] = [6 * MB * factor(next, 0.1), 105 * MB];
      return { rate: (_s, carried) => (carried > limit ? rate / 6 : rate) };
    },
  },
  {
    name: "compressible-parts",
    prepare: fresh((f, s) => {
      soft(join(f, "a-text"), 160 * MB * s, 0.9);
      noise(join(f, "b-film"), 50 * MB * s);
      soft(join(f, "c-text"), 160 * MB * s, 0.8);
      noise(join(f, "d-film"), 40 * MB * s);
    }),
    link: steady(3),
    restored: true,
  },
  {
    name: "cold-cache",
    prepare: changing((f, s, n) => crowd(f, 4000 * s, 25_000, n), 0.05),
    primed: true,
    cold: true,
    link: steady(0.8),
  },
  { name: "two-at-once", prepare: fresh(large), link: steady(5, 0.1), together: 2 },
  {
    name: "far-away",
    prepare: fresh((f, s, n) => crowd(f, 400 * s, 200_000, n)),
    link: steady(4, 0.1, 60),
    restored: true,
  },
  { name: "mixed", prepare: fresh(mixed), link: steady(2.5), restored: true },
  { name: "uneven-nights", prepare: fresh(large), link: steady(3, 0.5) },
  {
    name: "local-disk",
    prepare: fresh((f, s) => {
      for (let k = 0; k < 5; k++) noise(join(f, `large${k}`), 250 * MB * s);
    }),
    link: steady(1000),
    local: true,
    restored: true,
  },
];
