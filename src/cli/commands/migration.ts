import { type Command, clusterFlags, makeFlags, outputFlag } from "../command.ts";

const name = { name: "NAME", description: "the migration's name", required: true } as const;

export const migration: Command = {
  name: "migration",
  summary: "run migration plans and follow them",
  aliases: ["migrations"],
  commands: [
    {
      name: "create",
      summary: "start a run of a plan",
      args: [{ name: "NAME", description: "the migration's name (default: from the plan and the time)" }],
      flags: [
        ...clusterFlags,
        { name: "plan", value: "NAME", description: "the plan", required: true },
        { name: "stage", description: "copy volumes ahead while the application goes on; may be repeated" },
        { name: "rollback", description: "undo what the plan's finished runs did, on both clusters" },
        { name: "quiesce", description: "scale the application down before its volumes are copied" },
        { name: "verify", description: "check the migrated workloads at the end" },
        { name: "keep-annotations", description: "leave temporary marks on the objects" },
        { name: "rollback-on-failure", description: "undo what was migrated when the run fails" },
        { name: "accept-missing-volumes", description: "go on without volumes that cannot be copied" },
        { name: "fail-on-partial", description: "take a partly failed backup or restore for a failure" },
        { name: "wait", short: "w", description: "show how far it is until it has ended" },
        ...makeFlags,
      ],
      exits: { 1: "with --wait: the migration failed", 4: "with --wait: the migration was canceled" },
      examples: [
        "headway migration create --plan shop --stage --wait",
        "headway migration create move --plan shop --quiesce --verify --wait",
        "headway migration create --plan shop --rollback --wait",
      ],
      async run(input, io, signal) {
        const { createMigration } = await import("../migration/create.ts");
        return createMigration(input, io, signal);
      },
    },
    {
      name: "get",
      summary: "list migrations",
      args: [{ name: "NAME", description: "names of migrations (default: all)", repeat: true }],
      flags: [...clusterFlags, outputFlag("table", "wide", "json", "yaml", "name")],
      async run(input, io, signal) {
        const { getMigrations } = await import("../migration/describe.ts");
        await getMigrations(input, io, signal);
      },
    },
    {
      name: "describe",
      summary: "tell everything about migrations",
      args: [{ name: "NAME", description: "names of migrations", repeat: true, required: true }],
      flags: [...clusterFlags, { name: "details", description: "with the time of each phase" }],
      async run(input, io, signal) {
        const { describeMigrations } = await import("../migration/describe.ts");
        await describeMigrations(input, io, signal);
      },
    },
    {
      name: "watch",
      summary: "follow a migration until it has ended",
      args: [name],
      flags: [...clusterFlags, outputFlag("json")],
      exits: { 1: "the migration failed or ended with warnings", 4: "the migration was canceled" },
      async run(input, io, signal) {
        const { watchMigration } = await import("../migration/create.ts");
        return watchMigration(input, io, signal);
      },
    },
    {
      name: "cancel",
      summary: "stop a migration and undo what it did",
      description:
        "Deletes the migration's backups and restores and what it restored on the destination, and scales the source up again.",
      args: [name],
      flags: clusterFlags,
      async run(input, io, signal) {
        const { cancelMigration } = await import("../migration/describe.ts");
        await cancelMigration(input, io, signal);
      },
    },
  ],
};
