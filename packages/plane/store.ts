import { DatabaseSync, type StatementSync } from "node:sqlite";

/** The place of an object: resource as `plural.group`, namespace (empty when it has none), name. */
export interface Key {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A stored version of an object. */
export interface Row {
  readonly rev: number;
  readonly namespace: string;
  readonly name: string;
  /** The object as JSON, its resourceVersion inside. */
  readonly value: string;
}

/** One change, as watchers see it. */
export interface Change extends Key {
  readonly rev: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly value: string;
  /** The object before the change; absent when it was created. */
  readonly before?: string;
}

/** Which rows of a resource a list wants. */
export interface Range {
  readonly resource: string;
  readonly namespace?: string;
  /** Start after this place (exclusive). */
  readonly after?: { readonly namespace: string; readonly name: string };
  /** As it was at this revision; absent: as it is. */
  readonly at?: number;
  readonly limit?: number;
}

/** Asked for a revision whose history is gone. */
export class Compacted extends Error {
  override readonly name = "Compacted";
}

/**
 * Every version of every object since the last compaction, in SQLite.
 *
 * One row per version: `rev` is global and grows by one with each write, `until` is the revision that replaced the row. A
 * deletion writes a row of its own (with `until = rev`), so the history of a watch is simply the rows after a revision.
 * WAL without a sync per commit: an acknowledged write survives the death of the process, not of the machine.
 */
export class Store {
  readonly #db: DatabaseSync;
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #statements = new Map<string, StatementSync>();
  readonly #unpublished: Change[] = [];
  #rev: number;
  #compacted: number;

  constructor(file: string) {
    this.#db = new DatabaseSync(file);
    this.#db.exec(`
      PRAGMA locking_mode = EXCLUSIVE; -- two processes with one state would hand out the same revisions
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS versions (
        rev INTEGER PRIMARY KEY, resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
        before INTEGER, until INTEGER, value TEXT NOT NULL);
      CREATE UNIQUE INDEX IF NOT EXISTS present ON versions (resource, namespace, name) WHERE until IS NULL;
      CREATE INDEX IF NOT EXISTS past ON versions (until) WHERE until IS NOT NULL;
      CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value);
    `);
    this.#compacted = Number(this.fact("compacted") ?? 0);
    const newest = Number(this.#query("SELECT max(rev) AS rev FROM versions").get()?.["rev"] ?? 0);
    // The newest row may have been a deletion that was compacted away: never hand out a revision twice.
    this.#rev = Math.max(newest, Number(this.fact("rev") ?? 0), this.#compacted);
  }

  /** The newest revision. */
  get rev(): number {
    return this.#rev;
  }

  /** History up to this revision is gone. */
  get compacted(): number {
    return this.#compacted;
  }

  /** A small named value that outlives the process. */
  fact(name: string): string | undefined {
    const value = this.#query("SELECT value FROM facts WHERE name = ?").get(name)?.["value"];
    return value === undefined || value === null ? undefined : String(value);
  }

  /** Keeps a small named value. */
  setFact(name: string, value: string): void {
    this.#query("INSERT OR REPLACE INTO facts VALUES (?, ?)").run(name, value);
  }

  /** The object as it is. */
  get(key: Key): Row | undefined {
    const sql =
      "SELECT rev, namespace, name, value FROM versions WHERE resource = ? AND namespace = ? AND name = ? AND until IS NULL";
    return this.#query(sql).get(key.resource, key.namespace, key.name) as unknown as Row | undefined;
  }

  /** Rows in the order of namespace and name; the caller bounds them with `limit`. */
  list(range: Range): Row[] {
    const { at, limit } = range;
    if (at !== undefined && at < this.#compacted) throw new Compacted();
    const { where, args } = conditions(range);
    const select = "SELECT rev, namespace, name, value FROM versions WHERE";
    let sql = `${select} ${where} AND until IS NULL`;
    const all: (string | number)[] = [...args];
    if (at !== undefined && at < this.#rev) {
      // What was replaced since then is found through its own index and is little.
      sql = `${sql} AND rev <= ? UNION ALL ${select} ${where} AND until > ? AND rev <= ?`;
      all.push(at, ...args, at, at);
    }
    sql += ` ORDER BY namespace, name${limit === undefined ? "" : " LIMIT ?"}`;
    if (limit !== undefined) all.push(limit);
    return this.#query(sql).all(...all) as unknown as Row[];
  }

  /** How many rows a list of the present would give. */
  count(range: Range): number {
    const { where, args } = conditions(range);
    const sql = `SELECT count(*) AS n FROM versions WHERE ${where} AND until IS NULL`;
    return Number(this.#query(sql).get(...args)?.["n"] ?? 0);
  }

  /** Objects of every resource whose JSON contains a text, newest version only. */
  containing(text: string): (Row & { readonly resource: string })[] {
    const sql =
      "SELECT rev, resource, namespace, name, value FROM versions WHERE until IS NULL AND instr(value, ?) > 0";
    return this.#query(sql).all(text) as unknown as (Row & { resource: string })[];
  }

  /**
   * Writes a new version, or the last one. `render` gets the new revision and returns the JSON with it inside.
   * The caller has checked preconditions: everything here is synchronous, so nothing can come in between.
   */
  write(key: Key, render: (rev: number) => string, remove = false): Row {
    const before = this.get(key);
    const rev = this.#rev + 1;
    const value = render(rev);
    this.#query("BEGIN IMMEDIATE").run();
    try {
      if (before) this.#query("UPDATE versions SET until = ? WHERE rev = ?").run(rev, before.rev);
      this.#query("INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?)").run(
        rev,
        key.resource,
        key.namespace,
        key.name,
        before?.rev ?? null,
        remove ? rev : null,
        value,
      );
      this.#query("COMMIT").run();
    } catch (error) {
      this.#query("ROLLBACK").run();
      throw error;
    }
    this.#rev = rev;
    const type = remove ? "DELETED" : before ? "MODIFIED" : "ADDED";
    this.#publish({ ...key, rev, type, value, ...(before && { before: before.value }) });
    return { rev, namespace: key.namespace, name: key.name, value };
  }

  /** Changes of a resource after a revision, oldest first, at most `limit`. */
  changes(resource: string, after: number, limit: number): Change[] {
    if (after < this.#compacted) throw new Compacted();
    const sql = `SELECT v.rev, v.namespace, v.name, v.until, v.value, b.value AS earlier
      FROM versions v LEFT JOIN versions b ON b.rev = v.before
      WHERE v.rev > ? AND v.resource = ? ORDER BY v.rev LIMIT ?`;
    const rows = this.#query(sql).all(after, resource, limit);
    return rows.map((row) => ({
      resource,
      namespace: String(row["namespace"]),
      name: String(row["name"]),
      rev: Number(row["rev"]),
      type: row["until"] === row["rev"] ? "DELETED" : row["earlier"] === null ? "ADDED" : "MODIFIED",
      value: String(row["value"]),
      ...(row["earlier"] !== null && { before: String(row["earlier"]) }),
    }));
  }

  /** Calls back after each commit, in order, until the returned function is called. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Forgets what was replaced or deleted at or before a revision. */
  compact(rev: number): void {
    const to = Math.min(rev, this.#rev);
    if (to <= this.#compacted) return;
    this.#db.exec("BEGIN IMMEDIATE");
    this.setFact("compacted", String(to));
    this.setFact("rev", String(this.#rev));
    this.#query("DELETE FROM versions WHERE until IS NOT NULL AND until <= ?").run(to);
    this.#db.exec("COMMIT");
    this.#compacted = to;
  }

  /** Closes the file; a later call fails. */
  close(): void {
    this.#listeners.clear();
    this.#statements.clear();
    this.#db.close();
  }

  #publish(change: Change): void {
    // A listener may write: its change waits until everybody has seen this one.
    this.#unpublished.push(change);
    if (this.#unpublished.length > 1) return;
    for (let next = this.#unpublished[0]; next; next = this.#unpublished[0]) {
      for (const listener of this.#listeners) listener(next);
      this.#unpublished.shift();
    }
  }

  /** Statements are prepared once; there are about fifteen texts. */
  #query(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function conditions(range: Range): { where: string; args: (string | number)[] } {
  const args: (string | number)[] = [range.resource];
  let where = "resource = ?";
  if (range.namespace !== undefined) {
    where += " AND namespace = ?";
    args.push(range.namespace);
  }
  if (range.after) {
    where += " AND (namespace, name) > (?, ?)";
    args.push(range.after.namespace, range.after.name);
  }
  return { where, args };
}
