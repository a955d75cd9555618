import { type Command, clusterFlags, type Flag, listFlag, makeFlags, outputFlag } from "../command.ts";

const specFlags: readonly Flag[] = [
  { name: "from-backup", value: "NAME", description: "the backup to rehearse" },
  {
    name: "from-schedule",
    value: "NAME",
    description: "the schedule whose newest completed backup is rehearsed",
  },
  listFlag("include-namespaces", "namespaces of the backup to rehearse (default: all)"),
  listFlag("exclude-resources", "resource types that are not restored, beside the usual ones"),
  { name: "storage-class", value: "NAME", description: "the storage class of all restored claims" },
  listFlag("quota", "what each scratch namespace may use, such as requests.storage=100Gi"),
  { name: "allow-egress", description: "let the restored pods open connections to the outside" },
  {
    name: "resource-modifier-configmap",
    value: "NAME",
    description: "ConfigMap with patches in place of the usual ones",
  },
  { name: "ready-timeout", value: "DURATION", description: "how long workloads may take (default 10m)" },
  { name: "restore-timeout", value: "DURATION", description: "how long the restore may take (default 4h)" },
  {
    name: "checks",
    value: "FILE",
    description: "YAML list of checks (exec, http, job), as spec.checks has them",
  },
];
const name = { name: "NAME", description: "the drill's name", required: true } as const;
const names = { name: "NAME", description: "names of drills (default: all)", repeat: true } as const;
const some = { name: "NAME", description: "names of drills", repeat: true, required: true } as const;
const runExits = { 1: "the backup could not be proved", 4: "the drill was canceled" } as const;

export const drill: Command = {
  name: "drill",
  summary: "rehearse restores, and prove that backups can be restored",
  aliases: ["drills"],
  commands: [
    {
      name: "run",
      summary: "rehearse a restore now, and wait for the verdict",
      description:
        "Restores the backup into scratch namespaces that are cut off from the world, checks workloads and volumes, measures how long recovery takes, and removes everything again.",
      args: [{ name: "NAME", description: "the drill's name (default: from the backup and the time)" }],
      flags: [...clusterFlags, ...specFlags],
      exits: runExits,
      examples: [
        "headway drill run --from-schedule nightly",
        "headway drill run try --from-backup shop --checks checks.yaml",
      ],
      run: async (input, io, signal) => (await import("../drill/create.ts")).runDrill(input, io, signal),
    },
    {
      name: "create",
      summary: "make a drill: once, or at given times",
      args: [name],
      flags: [
        ...clusterFlags,
        ...specFlags,
        {
          name: "schedule",
          value: "CRON",
          description: "five cron fields or @every 24h (default: once, now)",
        },
        { name: "time-zone", value: "ZONE", description: "the time zone of --schedule (default UTC)" },
        { name: "keep", value: "N", description: "runs that are kept (default 10)" },
        { name: "wait", short: "w", description: "show how far it is until it has ended" },
        ...makeFlags,
      ],
      exits: { 1: "with --wait: the backup could not be proved", 4: "with --wait: the drill was canceled" },
      examples: [
        'headway drill create weekly --from-schedule nightly --schedule "0 5 * * 0" --time-zone Europe/Paris',
      ],
      run: async (input, io, signal) => (await import("../drill/create.ts")).createDrill(input, io, signal),
    },
    {
      name: "get",
      summary: "list drills",
      args: [names],
      flags: [...clusterFlags, outputFlag("table", "wide", "json", "yaml", "name")],
      run: async (input, io, signal) => (await import("../drill/get.ts")).getDrills(input, io, signal),
    },
    {
      name: "describe",
      summary: "tell everything about drills",
      args: [names],
      flags: [...clusterFlags],
      run: async (input, io, signal) => (await import("../drill/get.ts")).describeDrills(input, io, signal),
    },
    {
      name: "report",
      summary: "print the signed report of a drill",
      description:
        "The JSON is signed and can be verified by anybody with the public key; the HTML is a page to print, made of the same document.",
      args: [name],
      flags: [...clusterFlags, outputFlag("json", "html")],
      examples: ["headway drill report try > report.json", "headway drill report try -o html > report.html"],
      run: async (input, io, signal) => (await import("../drill/report.ts")).printReport(input, io, signal),
    },
    {
      name: "verify",
      summary: "verify a report: that no byte of it was changed since it was signed",
      args: [{ name: "FILE", description: "the report as JSON", required: true }],
      flags: [
        ...clusterFlags,
        {
          name: "public-key",
          value: "KEY",
          description: "the key to trust, in base64 (default: that of the cluster)",
        },
      ],
      exits: { 1: "the report is not as it was signed" },
      examples: ["headway drill verify report.json"],
      run: async (input, io, signal) => (await import("../drill/report.ts")).verifyReport(input, io, signal),
    },
    {
      name: "cancel",
      summary: "ask a running drill to stop; what it made is removed",
      args: [name],
      flags: clusterFlags,
      run: async (input, io, signal) => (await import("../drill/create.ts")).cancelDrill(input, io, signal),
    },
    {
      name: "delete",
      summary: "delete drills; what they made is removed first",
      args: [some],
      flags: clusterFlags,
      run: async (input, io, signal) => (await import("../drill/create.ts")).deleteDrills(input, io, signal),
    },
  ],
};
