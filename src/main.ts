// argv -> command. The only place that ends the process.

/** Runs the process's own command line; the first interrupt asks, the second insists. */
export async function main(): Promise<void> {
  const { run } = await import("./cli/index.ts");
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(130);
      stop.abort();
    });
  }
  process.exitCode = await run(process.argv.slice(2), stop.signal, undefined, process);
}
