import type { LogPosition } from "../api/index.ts";

/** What is kept of one log for those who follow it: an annotation has to hold it, also quoted. */
const keptChars = 48 * 1024;
/** A longer line is cut here; the stored log has it whole. */
const lineChars = 8 * 1024;
/** Logs that were closed are kept for who has not read their last lines yet; so many of them. */
const keptClosed = 16;

/** A log that is written now. */
export interface LiveLog {
  readonly add: (line: string) => void;
  readonly close: () => void;
}

/** The newest lines of a log after those that somebody has. */
export interface NewLines {
  readonly run: string;
  readonly from: number;
  readonly lines: readonly string[];
  /** Whether more may come. */
  readonly isOpen: boolean;
}

interface Kept {
  readonly run: string;
  lines: string[];
  chars: number;
  /** Lines that were let go in front. */
  gone: number;
  isOpen: boolean;
}

/**
 * The newest lines of the logs of this process, by the uid of their backup or restore. They are the very lines that are
 * stored at the end, so what may not be stored is not here either. Bounded by what runs, and a few that have ended.
 */
export class LiveLogs {
  readonly #now: () => number;
  readonly #logs = new Map<string, Kept>();
  #runs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins the log of a run; one of an earlier run is forgotten. */
  open(uid: string | undefined): LiveLog {
    const kept: Kept = { run: `${this.#now()}-${this.#runs++}`, lines: [], chars: 0, gone: 0, isOpen: true };
    if (uid !== undefined) {
      this.#logs.delete(uid);
      this.#logs.set(uid, kept);
    }
    return {
      add: (line) => add(kept, line),
      close: () => {
        kept.isOpen = false;
        this.#drop();
      },
    };
  }

  /** What came after what somebody has; undefined when this process knows no log of it. */
  read(uid: string, have: LogPosition): NewLines | undefined {
    const kept = this.#logs.get(uid);
    if (!kept) return undefined;
    const { run, lines, gone, isOpen } = kept;
    const from = Math.max(gone, have.run === run ? Math.min(have.lines, gone + lines.length) : 0);
    return { run, from, lines: lines.slice(from - gone), isOpen };
  }

  #drop(): void {
    const closed = [...this.#logs].filter(([, { isOpen }]) => !isOpen);
    for (const [uid] of closed.slice(0, Math.max(0, closed.length - keptClosed))) this.#logs.delete(uid);
  }
}

function add(kept: Kept, line: string): void {
  const short = line.length > lineChars ? `${line.slice(0, lineChars)}…\n` : line;
  kept.lines.push(short);
  kept.chars += short.length;
  if (kept.chars <= keptChars) return;
  let drop = 0;
  for (; kept.chars > keptChars; drop += 1) kept.chars -= kept.lines[drop]?.length ?? 0;
  kept.lines = kept.lines.slice(drop);
  kept.gone += drop;
}
