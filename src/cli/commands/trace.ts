import { type Command, given, text } from "../command.ts";

/** Recorded runs of movers, and how right the estimate is on them. */
export const trace: Command = {
  name: "trace",
  summary: "record runs of restic and kopia, and score the estimate on them",
  commands: [
    {
      name: "record",
      summary: "back up or restore a folder and write down how it went",
      description:
        "Writes one line of JSON for each line of the mover: files and bytes done and in all, what was uploaded, what the process read, wrote and sent. The repository is made when there is none. Its password is taken from RESTIC_PASSWORD or KOPIA_PASSWORD, keys for S3 from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
      args: [
        { name: "mover", description: "restic or kopia", required: true },
        { name: "volume", description: "the folder to back up, or to restore into", required: true },
        {
          name: "workload",
          description: "what it is, such as db-nightly; its runs are compared",
          required: true,
        },
      ],
      flags: [
        {
          name: "repository",
          value: "PLACE",
          description: "a folder, or s3:ADDRESS/BUCKET/PREFIX",
          required: true,
        },
        { name: "restore", value: "SNAPSHOT", description: "restore this snapshot instead of backing up" },
        { name: "parent", value: "SNAPSHOT", description: "the snapshot to compare with (restic)" },
        { name: "family", value: "WORD", description: "what costs time in it (default: the workload)" },
        { name: "lean", description: "one line a second at most, without the mover's own words" },
        { name: "to", value: "DIR", description: "where the file goes", default: "traces" },
      ],
      examples: ["headway trace record restic /data shop-db --repository /mnt/backup"],
      async run(input, io, signal) {
        const { record } = await import("../trace/record.ts");
        const [mover = "", volume = "", workload = ""] = input.args;
        const optional = (flag: string) => {
          const value = text(input, flag);
          return value === undefined ? {} : { [flag]: value };
        };
        return record(
          {
            mover,
            volume,
            workload,
            repository: text(input, "repository") ?? "",
            to: text(input, "to") ?? "traces",
            lean: given(input, "lean"),
            ...optional("restore"),
            ...optional("parent"),
            ...optional("family"),
          },
          io,
          signal,
        );
      },
    },
    {
      name: "score",
      summary: "replay recorded runs through the estimate and say how right it was",
      description:
        "Plays each trace (*.ndjson, *.ndjson.gz) through what agent, reporter and viewers do, without history and with one, two and three earlier runs of the same key, and compares what was told with what came true: beside the linear rule, the mover's own estimate, and the plain clock.",
      args: [{ name: "dir", description: "the folder with traces", required: true }],
      flags: [{ name: "json", description: "print what was told at every moment of every run" }],
      examples: ["headway trace score traces", "headway trace score traces --json > told.json"],
      async run(input, io) {
        const { score } = await import("../trace/score.ts");
        return score(input.args[0] ?? "", given(input, "json"), io);
      },
    },
  ],
};
