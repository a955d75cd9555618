import { spawn } from "node:child_process";
import { get } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { isMap, type JsonMap, listAt, mapAt, numberAt, textAt } from "../object.ts";
import { enter, type Isolation, type Running } from "./container.ts";
import type { Processes } from "./processes.ts";

/** Asks a container again and again whether it is ready, and tells each change. */
export function watchReadiness(
  probe: JsonMap,
  running: Running,
  deps: { readonly isolation: Isolation; readonly processes: Processes },
  signal: AbortSignal,
  tell: (ready: boolean) => void,
): void {
  const periodMs = (numberAt(probe, "periodSeconds") ?? 10) * 1000;
  const failures = numberAt(probe, "failureThreshold") ?? 3;
  const loop = async (): Promise<void> => {
    await delay((numberAt(probe, "initialDelaySeconds") ?? 0) * 1000, undefined, { signal });
    let ready = false;
    for (let failed = 0; ; ) {
      const ok = await check(probe, running, deps);
      failed = ok ? 0 : failed + 1;
      const now: boolean = ok || (ready && failed < failures);
      if (now !== ready) tell(now);
      ready = now;
      // Until it is ready the first time it is asked more often than told: nobody waits ten seconds for a trial.
      await delay(ready ? periodMs : Math.min(periodMs, 500), undefined, { signal });
    }
  };
  loop().catch(() => undefined); // ends with the signal only
}

async function check(
  probe: JsonMap,
  running: Running,
  deps: { readonly isolation: Isolation; readonly processes: Processes },
): Promise<boolean> {
  const timeoutMs = (numberAt(probe, "timeoutSeconds") ?? 1) * 1000;
  if (isMap(probe["exec"])) {
    const [command = "true", ...args] = enter(
      running.pid,
      listAt(probe["exec"], "command") as string[],
      deps.isolation,
    );
    return new Promise((done) => {
      const child = spawn(command, args, {
        detached: true,
        stdio: "ignore",
        env: { ...running.env },
        timeout: timeoutMs,
        killSignal: "SIGKILL",
      });
      deps.processes.add(child);
      child.on("error", () => done(false));
      child.on("exit", (code) => done(code === 0));
    });
  }
  const http = mapAt(probe, "httpGet");
  const port = Number(http["port"] ?? mapAt(probe, "tcpSocket")["port"] ?? 0);
  if (isMap(probe["httpGet"])) {
    return new Promise((done) => {
      const request = get(
        { host: "127.0.0.1", port, path: textAt(http, "path") ?? "/", timeout: timeoutMs },
        (response) => {
          response.resume();
          done((response.statusCode ?? 500) < 400);
        },
      );
      request.on("timeout", () => request.destroy());
      request.on("error", () => done(false));
    });
  }
  return new Promise((done) => {
    const socket = connect({ host: "127.0.0.1", port, timeout: timeoutMs }, () => {
      socket.destroy();
      done(true);
    });
    socket.on("timeout", () => socket.destroy());
    socket.on("error", () => done(false));
    socket.on("close", () => done(false));
  });
}
