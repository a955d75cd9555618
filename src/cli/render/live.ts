/** What a live view needs of a terminal. */
export interface Screen {
  write(text: string): void;
  size(): { readonly columns: number; readonly rows: number };
}

const frameMs = 100;
const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
/** Terminals that know it show a frame at once; others ignore it. */
const beginFrame = "\x1b[?2026h";
const endFrame = "\x1b[?2026l";

/**
 * A few lines at the bottom of the terminal that are drawn again in place, at most ten times a second.
 *
 * Holds the newest frame and the log lines since the last one; both go with each frame, so nothing here grows.
 */
export class LiveView {
  readonly #screen: Screen;
  readonly #schedule: (run: () => void, delayMs: number) => () => void;
  #draw: (() => readonly string[]) | undefined;
  #logs: string[] = [];
  #drawn = 0;
  #cancel: (() => void) | undefined;
  #ended = false;

  constructor(screen: Screen, schedule = timer) {
    this.#screen = screen;
    this.#schedule = schedule;
    screen.write(hideCursor);
  }

  /** Says how the view looks now; called when a frame is due, so a hundred updates cost one drawing. */
  update(draw: () => readonly string[]): void {
    this.#draw = draw;
    this.#plan();
  }

  /** Prints a line above the view, for good. */
  log(line: string): void {
    this.#logs.push(line);
    this.#plan();
  }

  /** Draws the last frame and leaves it standing. */
  end(): void {
    if (this.#ended) return;
    this.#cancel?.();
    this.#frame();
    this.#ended = true;
    this.#screen.write(showCursor);
  }

  #plan(): void {
    if (this.#ended || this.#cancel) return;
    this.#cancel = this.#schedule(() => this.#frame(), frameMs);
  }

  #frame(): void {
    this.#cancel = undefined;
    const { rows } = this.#screen.size();
    // A frame taller than the screen could not be drawn over: the top of it would have scrolled away.
    const lines = (this.#draw?.() ?? []).slice(0, Math.max(1, rows - 1));
    const up = this.#drawn > 0 ? `\x1b[${this.#drawn}A` : "";
    const text = [...this.#logs, ...lines].map((line) => `\x1b[2K${line}\n`).join("");
    this.#screen.write(`${beginFrame}${up}\r${text}\x1b[J${endFrame}`);
    this.#logs = [];
    this.#drawn = lines.length;
  }
}

function timer(run: () => void, delayMs: number): () => void {
  const handle = setTimeout(run, delayMs);
  return () => clearTimeout(handle);
}
