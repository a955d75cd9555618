import { inOrder, type Operation } from "../../progress/index.ts";

/** What a person looks at in `watch`. Nothing is chosen until a key is pressed. */
export interface Browsing {
  /** The operation under the cursor, by id; without one all trees are shown. */
  readonly at?: string;
  /** Whether the one under the cursor is shown alone, with all its parts. */
  readonly isOpen: boolean;
  /** Only operations with these letters in the title. */
  readonly filter: string;
  /** What is being typed or asked; keys mean something else then. */
  readonly asks?: "filter" | "cancel";
}

/** What a key asks for beyond the screen. */
export type Wish =
  | { readonly do: "quit" }
  | { readonly do: "interrupt" }
  | { readonly do: "cancel" | "log"; readonly id: string };

/** The start: as without keys. */
export const untouched: Browsing = { isOpen: false, filter: "" };

const longestFilter = 60;
/** An arrow is three characters, in one of two ways; Esc is one. */
const keysIn = /\p{Cc}[[O][A-D]|./gsu;
const names: Readonly<Record<string, string>> = {
  "\x1b[A": "up",
  "\x1bOA": "up",
  k: "up",
  "\x1b[B": "down",
  "\x1bOB": "down",
  j: "down",
  "\x1b[C": "open",
  "\x1bOC": "open",
  "\r": "open",
  "\n": "open",
  "\x1b[D": "back",
  "\x1bOD": "back",
  "\x1b": "back",
  "\x03": "interrupt",
};

/** The keys in what a terminal sent at once. */
export function keysOf(sent: string): readonly string[] {
  return sent.match(keysIn) ?? [];
}

/** The operations that pass the filter, in the order of every list. */
export function listed(
  shown: ReadonlyMap<string, Operation>,
  filter: string,
  nowMs: number,
): readonly Operation[] {
  const letters = filter.toLowerCase();
  return inOrder([...shown.values()], nowMs).filter(({ title }) => title.toLowerCase().includes(letters));
}

/** What a key does. `ids` are the operations as they are listed. */
export function press(
  before: Browsing,
  key: string,
  ids: readonly string[],
): { readonly browsing: Browsing; readonly wish?: Wish } {
  const name = names[key] ?? key;
  if (name === "interrupt") return { browsing: before, wish: { do: "interrupt" } };
  if (before.asks === "filter") return { browsing: typed(before, key) };
  const { asks, ...browsing } = before;
  // One that is gone leaves the cursor where the list begins.
  const at = browsing.at !== undefined && ids.includes(browsing.at) ? browsing.at : undefined;
  if (asks === "cancel") {
    const wish: Wish | undefined = name === "y" && at !== undefined ? { do: "cancel", id: at } : undefined;
    return { browsing, ...(wish && { wish }) };
  }
  switch (name) {
    case "q":
      return { browsing, wish: { do: "quit" } };
    case "/":
      return { browsing: { ...browsing, asks: "filter" } };
    case "up":
    case "down":
      return { browsing: moved(browsing, at, name === "up" ? -1 : 1, ids) };
    case "open":
      return { browsing: at === undefined ? moved(browsing, at, 1, ids) : { ...browsing, isOpen: true } };
    case "back":
      return { browsing: back(browsing) };
    case "c":
      return { browsing: at === undefined ? browsing : { ...browsing, asks: "cancel" } };
    case "l":
      return { browsing, ...(at !== undefined && { wish: { do: "log" as const, id: at } }) };
    default:
      return { browsing };
  }
}

function moved(browsing: Browsing, at: string | undefined, by: 1 | -1, ids: readonly string[]): Browsing {
  const [first] = ids;
  if (first === undefined) return browsing;
  if (at === undefined) return { ...browsing, at: by > 0 ? first : (ids.at(-1) ?? first) };
  const next = Math.min(ids.length - 1, Math.max(0, ids.indexOf(at) + by));
  return { ...browsing, at: ids[next] ?? at };
}

/** One step out: of the one that is open, of the list, of the filter. */
function back({ at, isOpen, filter }: Browsing): Browsing {
  if (isOpen && at !== undefined) return { at, isOpen: false, filter };
  return at === undefined ? untouched : { isOpen: false, filter };
}

function typed(browsing: Browsing, key: string): Browsing {
  const { asks: _typing, ...rest } = browsing;
  if (key === "\r" || key === "\n") return rest;
  if (key === "\x1b") return { ...rest, filter: "" };
  if (key === "\x7f" || key === "\b") return { ...browsing, filter: browsing.filter.slice(0, -1) };
  if (key < " " || key.startsWith("\x1b")) return browsing;
  return { ...browsing, filter: (browsing.filter + key).slice(0, longestFilter) };
}

/** The line below everything: what is asked, or which keys there are. */
export function footer({ at, isOpen, filter, asks }: Browsing, title: string | undefined): string {
  if (asks === "filter") return `filter: ${filter}▏ (Enter to keep, Esc to drop)`;
  if (asks === "cancel") return `cancel ${title ?? "it"}? y, or any other key to go back`;
  const filtered = filter === "" ? "" : ` · only "${filter}"`;
  if (at === undefined) return `↑↓ choose · / filter · q quit${filtered}`;
  return `${isOpen ? "← back" : "↑↓ choose · Enter open"} · l log · c cancel · / filter · q quit${filtered}`;
}
