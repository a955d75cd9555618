// Draws docs/pictures/terminal.svg from a real run: the demo on a terminal (tmux), caught in the middle of its backup. A fast
// machine would be through before anybody looks, so the programs that copy the volumes are let run a twentieth of the time.
// Run it as root, like the demo: `node scripts/terminal-picture.ts`.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Terminal } from "../test/harness/terminal.ts";

const columns = 112;
const limitMs = 300_000;
const [cell, line] = [8.4, 20];
const colors: Readonly<Record<string, string>> = {
  "✓": "#3fb950",
  "›": "#58a6ff",
  "!": "#f85149",
  "·": "#8b949e",
};

/** The tree of the backup while a volume is on its way and has an estimate; undefined at other moments. */
function tree(screen: readonly string[]): readonly string[] | undefined {
  const from = screen.findLastIndex((text) => /^Backup shop .*\[/.test(text));
  if (from < 0) return undefined;
  const found = screen.slice(from).filter((text, i) => i === 0 || /^[├│└]/.test(text));
  const isMoving = found.some((text) => /[├└]─ headway-shop.* [1-7]\d% .* left/.test(text));
  return isMoving && found.some((text) => text.startsWith("└")) ? found : undefined;
}

/** The programs of the demo that copy volumes out: the demo hands its folder for temporary files on to them. */
function movers(folder: string): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0");
        const [program = "", ...args] = read("cmdline");
        return (
          ["kopia", "restic"].includes(basename(program)) &&
          args.some((word) => word === "backup" || word === "create") &&
          read("environ").includes(`TMPDIR=${folder}`)
        );
      } catch {
        return false; // no process, or it has ended
      }
    });
}

function tell(pids: readonly number[], signal: "SIGSTOP" | "SIGCONT"): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // it has ended by itself
    }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const escape = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** One line as SVG: bars and marks in the color of the state that its mark tells. */
function row(text: string, y: number): string {
  const mark = /[✓›!·]/.exec(text)?.[0] ?? "·";
  const painted = escape(text).replace(
    /[█░]+|[✓›!·]/g,
    (part) => `<tspan fill="${colors[mark] ?? ""}">${part}</tspan>`,
  );
  return `<text x="16" y="${y}" xml:space="preserve">${painted}</text>`;
}

function picture(lines: readonly string[]): string {
  const [width, height] = [Math.ceil(columns * cell + 32), lines.length * line + 24];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    "<title>A backup in a terminal, drawn from a real run</title>",
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, DejaVu Sans Mono, monospace" font-size="14" fill="#e6edf3">',
    ...lines.map((text, i) => row(text, 12 + (i + 0.75) * line)),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

const folder = mkdtempSync(join(tmpdir(), "terminal-picture-"));
process.env["TMPDIR"] = folder;
const terminal = new Terminal(columns, 40, "demo");
try {
  const end = Date.now() + limitMs;
  let lines: readonly string[] | undefined;
  while (!lines) {
    if (Date.now() > end) throw new Error(`no volume was seen on its way:\n${terminal.screen().join("\n")}`);
    const slowed = movers(folder);
    tell(slowed, "SIGSTOP");
    await pause(380);
    tell(slowed, "SIGCONT");
    await pause(20);
    lines = tree(terminal.screen());
  }
  writeFileSync(join(import.meta.dirname, "../docs/pictures/terminal.svg"), picture(lines));
  console.log(lines.join("\n"));
  terminal.press("C-c");
  while (terminal.exitCode() === undefined && Date.now() < end) {
    await pause(200); // the demo takes its cluster down
  }
} finally {
  tell(movers(folder), "SIGCONT");
  terminal.close();
  rmSync(folder, { recursive: true, force: true });
}
