import type { Context, Hono } from "hono";
import { type Backup, type KubeObject, kinds, type Schedule } from "../api/index.ts";
import { isRunUnderWay } from "../kinds/index.ts";
import { type Client, resourceOf } from "../kube/index.ts";
import { answer } from "./answer.ts";
import type { Upcoming } from "./board.ts";
import { type Actors, acting } from "./caller.ts";

type Made = Parameters<Client["create"]>[1];

/** What the engine of backups knows about its own objects. */
export interface BackupEngine {
  readonly upcoming: Upcoming;
  /** The backup that a schedule makes now. */
  readonly backupNow: (schedule: Schedule, nowMs: number) => Made;
  /** The request that deletes a backup with all it stored. */
  readonly deleteRequest: (backup: Backup) => Made;
}

interface Part extends Actors {
  readonly writes: boolean;
  readonly backups?: BackupEngine;
}

const schedules = resourceOf(kinds.Schedule);
const backups = resourceOf(kinds.Backup);

/** Adds what may be done with schedules and ended backups, as the person who asks. */
export function addBackupRoutes(app: Hono, partOf: (c: Context) => Part | undefined): void {
  app.post("/api/schedules/:namespace/:name/:act", async (c) => {
    const { namespace, name, act } = c.req.param();
    const part = partOf(c);
    if (!part?.backups || !isAct(act)) return answer(404, "NOT_FOUND", "there is no such schedule or act");
    if (!part.writes) return answer(403, "READ_ONLY", "this server starts and cancels nothing");
    const { backups: engine } = part;
    if (act === "run") {
      const made = await acting(part, c, async (client, signal) => {
        const schedule = await client.get<Schedule>(schedules, name, { namespace }, signal);
        return client.create<KubeObject>(backups, engine.backupNow(schedule, Date.now()), {}, signal);
      });
      return c.json({ kind: "Backup", namespace: made.metadata.namespace, name: made.metadata.name }, 201);
    }
    const patch = { type: "merge", body: { spec: { paused: act === "pause" } } } as const;
    await acting(part, c, (client, signal) => client.patch(schedules, name, patch, { namespace }, signal));
    return c.json({ schedule: name, paused: act === "pause" });
  });
  app.post("/api/backups/:namespace/:name/delete", async (c) => {
    const { namespace, name } = c.req.param();
    const part = partOf(c);
    if (!part?.backups) return answer(404, "NOT_FOUND", "there is no such cluster");
    if (!part.writes) return answer(403, "READ_ONLY", "this server starts and cancels nothing");
    const { backups: engine } = part;
    return acting(part, c, async (client, signal) => {
      const backup = await client.get<Backup>(backups, name, { namespace }, signal);
      if (isRunUnderWay(backup.status?.phase))
        return answer(409, "RUNNING", `backup "${name}" is in progress: cancel it first`);
      await client.create(resourceOf(kinds.DeleteBackupRequest), engine.deleteRequest(backup), {}, signal);
      return c.json({ deleted: name });
    });
  });
}

function isAct(text: string): text is "pause" | "unpause" | "run" {
  return text === "pause" || text === "unpause" || text === "run";
}
