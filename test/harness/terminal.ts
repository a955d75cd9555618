import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launcher } from "./headway-process.ts";

/** Why there is no terminal here; undefined when there is one. */
export function missingTerminal(): string | undefined {
  return spawnSync("tmux", ["-V"]).status === 0 ? undefined : "no tmux on PATH";
}

/** Headway on a real terminal of a size of its own: tmux draws it, and keeps what was written to it. */
export class Terminal {
  readonly columns: number;
  readonly #folder = mkdtempSync(join(tmpdir(), "terminal-"));
  readonly #name = `headway-${crypto.randomUUID().slice(0, 8)}`;

  constructor(columns: number, rows: number, ...args: string[]) {
    this.columns = columns;
    const words = [process.execPath, launcher, ...args].map((word) => `'${word}'`).join(" ");
    // The pipe must be there before the first letter; the last line tells how it ended.
    const script = `trap : INT; read -r go; ${words}; printf 'exit %s\\n' $?; sleep 600`;
    this.#tmux("new-session", "-d", "-s", "t", "-x", String(columns), "-y", String(rows), "sh", "-c", script);
    this.#tmux("pipe-pane", "-t", "t", "-o", `cat >'${this.#raw}'`);
    this.#tmux("send-keys", "-t", "t", "Enter");
  }

  get #raw(): string {
    return join(this.#folder, "raw");
  }

  #tmux(...args: string[]): string {
    return execFileSync("tmux", ["-L", this.#name, "-f", "/dev/null", ...args], { encoding: "utf8" });
  }

  /** What stands on the screen, line by line, with what scrolled away. */
  screen(): string[] {
    const text = this.#tmux("capture-pane", "-p", "-t", "t", "-S", "-");
    return text.split("\n").filter((line) => line.trim() !== "");
  }

  /** Everything that was written to the terminal so far. */
  written(): string {
    try {
      return readFileSync(this.#raw, "utf8");
    } catch {
      return ""; // nothing yet
    }
  }

  press(key: string): void {
    this.#tmux("send-keys", "-t", "t", key);
  }

  /** How the program ended, once it has. */
  exitCode(): number | undefined {
    const found = /^exit (\d+)$/m.exec(this.screen().join("\n"))?.[1];
    return found === undefined ? undefined : Number(found);
  }

  close(): void {
    spawnSync("tmux", ["-L", this.#name, "kill-server"]);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
