import { type Command, clusterFlags, makeFlags, outputFlag } from "../command.ts";
import { backupSpecFlags } from "./backup.ts";

const names = { name: "NAME", description: "names of schedules (default: all)", repeat: true } as const;
const some = { name: "NAME", description: "names of schedules", repeat: true, required: true } as const;

export const schedule: Command = {
  name: "schedule",
  summary: "make backups at given times",
  aliases: ["schedules"],
  commands: [
    {
      name: "create",
      summary: "make a schedule",
      args: [{ name: "NAME", description: "the schedule's name", required: true }],
      flags: [
        ...clusterFlags,
        {
          name: "schedule",
          value: "CRON",
          description: "five cron fields or @every 1h, in UTC",
          required: true,
        },
        ...backupSpecFlags,
        { name: "use-owner-references-in-backup", description: "delete the backups with the schedule" },
        { name: "paused", description: "make no backups for now" },
        { name: "skip-immediately", description: "do not make up for a time that has passed" },
        ...makeFlags,
      ],
      examples: ['headway schedule create nightly --schedule "0 3 * * *" --include-namespaces shop'],
      run: async (input, io, signal) =>
        (await import("../schedule/run.ts")).createSchedule(input, io, signal),
    },
    {
      name: "get",
      summary: "list schedules",
      args: [names],
      flags: [...clusterFlags, outputFlag("table", "wide", "json", "yaml", "name")],
      run: async (input, io, signal) => (await import("../schedule/run.ts")).getSchedules(input, io, signal),
    },
    {
      name: "describe",
      summary: "tell everything about schedules",
      args: [names],
      flags: [...clusterFlags],
      run: async (input, io, signal) =>
        (await import("../schedule/run.ts")).describeSchedules(input, io, signal),
    },
    {
      name: "delete",
      summary: "delete schedules; their backups stay",
      args: [some],
      flags: [...clusterFlags],
      run: async (input, io, signal) =>
        (await import("../schedule/run.ts")).deleteSchedules(input, io, signal),
    },
    {
      name: "pause",
      summary: "make no backups for now",
      args: [some],
      flags: [...clusterFlags],
      run: async (input, io, signal) =>
        (await import("../schedule/run.ts")).pauseSchedules(input, io, signal, true),
    },
    {
      name: "unpause",
      summary: "make backups again",
      args: [some],
      flags: [
        ...clusterFlags,
        { name: "skip-immediately", description: "do not make up for a time that has passed" },
      ],
      run: async (input, io, signal) =>
        (await import("../schedule/run.ts")).pauseSchedules(input, io, signal, false),
    },
  ],
};
