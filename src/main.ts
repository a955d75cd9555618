// argv -> command. The only place that ends the process.

/** What is still in the pipes may take so long to be read. */
const flushMs = 5_000;

/** Runs the process's own command line; the first interrupt asks, the second insists, and so does the clock. */
export async function main(): Promise<void> {
  const { endings, Interrupted, run } = await import("./cli/index.ts");
  const stop = new AbortController();
  let graceMs: number | undefined = 1_000;
  for (const name of endings) {
    process.on(name, () => {
      const why = new Interrupted(name);
      if (stop.signal.aborted) process.exit(why.exitCode);
      stop.abort(why);
      if (graceMs !== undefined) setTimeout(() => process.exit(why.exitCode), graceMs).unref();
    });
  }
  // Whoever read the output has gone: nothing that is said from now on reaches anybody.
  process.stdout.on("error", () => process.exit(141));
  const began = (command: { readonly graceMs?: number; readonly lasting?: boolean }) => {
    graceMs = command.lasting ? undefined : (command.graceMs ?? graceMs);
  };
  const code = await run(process.argv.slice(2), stop.signal, undefined, { host: process, began });
  process.exitCode = code;
  // A timer or a connection that somebody forgot must not hold a command that has said all it had to say.
  setTimeout(() => process.exit(code), flushMs).unref();
  await Promise.all([process.stdout, process.stderr].map(flushed));
  process.exit(code);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
