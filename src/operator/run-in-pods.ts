import type { RunInPod } from "../engines/backup/index.ts";
import { builtIn, type Client } from "../kube/index.ts";

const pods = builtIn.pods;
/** What is kept of a command's output; the log wants to know how it ended, not all it said. */
const keptBytes = 16 << 10;

/** Runs hooks in containers through the API server. */
export function runInPods(client: Pick<Client, "exec">): RunInPod {
  return async ({ namespace, pod, container }, command, timeoutMs, signal) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const stdout = new Head();
    const stderr = new Head();
    try {
      const { exitCode } = await client.exec(
        pods,
        pod,
        {
          namespace,
          container,
          command,
          onStdout: (chunk) => stdout.add(chunk),
          onStderr: (chunk) => stderr.add(chunk),
        },
        AbortSignal.any([signal, timeout]),
      );
      return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
    } catch (error) {
      if (timeout.aborted && !signal.aborted) {
        throw new Error(`the command did not end within ${timeoutMs / 1000} s`, { cause: error });
      }
      throw error;
    }
  };
}

/** The first bytes of a stream. */
class Head {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  add(chunk: Buffer): void {
    if (this.#bytes >= keptBytes) return;
    this.#chunks.push(chunk.subarray(0, keptBytes - this.#bytes));
    this.#bytes += chunk.length;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}
