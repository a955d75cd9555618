/** A form that a word must have, and how to call it. */
export interface Grammar {
  readonly words: string;
  readonly fits: (text: string) => boolean;
}

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const name = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** The forms of names and ids, as the API server, upstream and the movers have them. */
export const grammar = {
  namespace: { words: "the name of a namespace", fits: (text) => label.test(text) },
  name: { words: "a name", fits: isName },
  volume: { words: "the name of a pod's volume", fits: (text) => label.test(text) },
  uid: { words: "a uid", fits: (text) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(text) },
  labelKey: { words: "the name of a label", fits: isQualified },
  labelValue: {
    words: "the value of a label",
    fits: (text) => /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/.test(text),
  },
  /** The id of a whole snapshot, or the start of it, which upstream stores. */
  resticSnapshot: { words: "a snapshot of restic", fits: (text) => /^[0-9a-f]{8,64}$/.test(text) },
  kopiaSnapshot: { words: "a snapshot of kopia", fits: (text) => /^[0-9a-f]{32}$/.test(text) },
  /** What the plugins of clouds give: "snap-1", or a path of names. It goes to programs, so it is never like an option. */
  pluginSnapshot: { words: "the id of a snapshot", fits: (text) => isPlain(text, 1024) },
  plugin: { words: "the name of a plugin", fits: isQualified },
  /** Free text that is shown: one line, not too long, and never like an option. */
  line: { words: "a line of text", fits: (text) => isPlain(text, 4096) },
} as const satisfies Record<string, Grammar>;

function isName(text: string): boolean {
  return name.test(text) && !text.includes("..");
}

function isQualified(text: string): boolean {
  const [first = "", second, ...rest] = text.split("/");
  const last = second ?? first;
  if (rest.length > 0 || (second !== undefined && !isName(first))) return false;
  return /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(last);
}

function isPlain(text: string, limit: number): boolean {
  return text !== "" && text.length <= limit && !text.startsWith("-") && !/\p{Cc}/u.test(text);
}
