import { expect, test } from "vitest";
import { LiveView } from "./live.ts";

/** A terminal with a scheduler that the test turns by hand. */
function open(rows = 24) {
  let text = "";
  const due: (() => void)[] = [];
  const view = new LiveView(
    { write: (part) => void (text += part), size: () => ({ columns: 80, rows }) },
    (run) => {
      due.push(run);
      return () => void due.splice(due.indexOf(run), 1);
    },
  );
  return { view, due, screen: () => replay(text), text: () => text, tick: () => due.shift()?.() };
}

/** What a terminal shows after the text: enough of it for what the view writes. */
function replay(text: string): string[] {
  const lines: string[] = [""];
  let row = 0;
  for (const [part] of text.matchAll(/\x1b\[\??\d*[A-Za-z]|\r|\n|[^\x1b\r\n]+/g)) {
    const up = /^\x1b\[(\d+)A$/.exec(part);
    if (up) row -= Number(up[1]);
    else if (part === "\x1b[2K") lines[row] = "";
    else if (part === "\x1b[J") lines.length = Math.max(row, 1);
    else if (part === "\n") lines[++row] ??= "";
    else if (!part.startsWith("\x1b") && part !== "\r") lines[row] = `${lines[row] ?? ""}${part}`;
  }
  return lines.filter((line) => line !== "");
}

test("LiveView draws over itself and keeps logs above", () => {
  const { view, screen, tick } = open();
  view.update(() => ["one", "two"]);
  tick();
  view.log("a log line");
  view.update(() => ["three"]);
  tick();
  expect(screen()).toEqual(["a log line", "three"]);
});

test("LiveView draws a burst of updates once", () => {
  const { view, due, screen, tick } = open();
  for (let i = 0; i < 100; i++) view.update(() => [`frame ${i}`]);
  expect(due).toHaveLength(1);
  tick();
  expect(screen()).toEqual(["frame 99"]);
});

test("LiveView never draws more than the screen holds", () => {
  const { view, screen, tick } = open(3);
  view.update(() => ["1", "2", "3", "4"]);
  tick();
  expect(screen()).toEqual(["1", "2"]);
});

test("LiveView.end() leaves the last frame and gives the cursor back", () => {
  const { view, due, screen, text } = open();
  view.update(() => ["last"]);
  view.end();
  view.update(() => ["later"]);
  expect(due).toEqual([]);
  expect(screen()).toEqual(["last"]);
  expect(text().endsWith("\x1b[?25h")).toBe(true);
});
