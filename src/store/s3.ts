import type { S3Client } from "@aws-sdk/client-s3";
import { AppError } from "../errors.ts";
import { SourceFault } from "./chunks.ts";
import { checkFolder, checkKey, checkPrefix } from "./key.ts";
import { deleteAll, inOrder } from "./pages.ts";
import { clientConfig, type S3Settings, type S3Spec, s3Settings } from "./s3-config.ts";
import { explainS3, isMissingObject } from "./s3-errors.ts";
import { upload } from "./s3-upload.ts";
import type { Body, Entry, ListOptions, ObjectInfo, Store } from "./store.ts";

/** A bucket of S3 or of anything that speaks it, whose servers do not all know DeleteObjects. The client is loaded on first use. */
export class S3Store implements Store {
  readonly place: string;
  readonly #settings: S3Settings;
  #clients: Partial<Record<"inner" | "public", Promise<S3Client>>> = {};

  constructor(spec: S3Spec) {
    this.#settings = s3Settings(spec);
    const { bucket, endpoint, region } = this.#settings;
    this.place = `bucket "${bucket}" at ${endpoint ?? `S3 in ${region}`}`;
  }

  async put(key: string, body: Body, signal?: AbortSignal): Promise<void> {
    checkKey(key);
    await this.#try("write", key, signal, async (client) => {
      await upload(client, this.#settings, { key, body }, signal);
    });
  }

  async get(key: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    checkKey(key);
    const { GetObjectCommand } = await import("@aws-sdk/client-s3");
    const { bucket: Bucket, keyed } = this.#settings;
    const answer = await this.#try("read", key, signal, (client) =>
      client.send(new GetObjectCommand({ Bucket, Key: key, ...keyed }), sending(signal)),
    );
    return this.#read(key, answer, signal);
  }

  async head(key: string, signal?: AbortSignal): Promise<ObjectInfo | undefined> {
    checkKey(key);
    const { HeadObjectCommand } = await import("@aws-sdk/client-s3");
    const { bucket: Bucket, keyed } = this.#settings;
    return await this.#try("look at", key, signal, async (client) => {
      try {
        const answer = await client.send(
          new HeadObjectCommand({ Bucket, Key: key, ...keyed }),
          sending(signal),
        );
        return { key, bytes: answer.ContentLength ?? 0, modifiedAt: answer.LastModified ?? new Date(0) };
      } catch (error) {
        // HEAD answers have no body, so a missing bucket looks like a missing object; callers list first.
        if (isMissingObject(error)) return undefined;
        throw error;
      }
    });
  }

  async *list(prefix: string, options: ListOptions = {}, signal?: AbortSignal): AsyncGenerator<Entry> {
    checkPrefix(prefix);
    const { ListObjectsV2Command } = await import("@aws-sdk/client-s3");
    let token: string | undefined;
    do {
      const page = await this.#try("list", prefix, signal, (client) =>
        client.send(
          new ListObjectsV2Command({
            Bucket: this.#settings.bucket,
            Prefix: prefix,
            ...(options.delimiter && { Delimiter: options.delimiter }),
            ...(token !== undefined && { ContinuationToken: token }),
          }),
          sending(signal),
        ),
      );
      yield* merged(page);
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async delete(key: string, signal?: AbortSignal): Promise<void> {
    checkKey(key);
    const { DeleteObjectCommand } = await import("@aws-sdk/client-s3");
    const command = new DeleteObjectCommand({ Bucket: this.#settings.bucket, Key: key });
    await this.#try("delete", key, signal, async (client) => {
      try {
        await client.send(command, sending(signal));
      } catch (error) {
        if (!isMissingObject(error)) throw error;
      }
    });
  }

  async deletePrefix(prefix: string, signal?: AbortSignal): Promise<number> {
    checkFolder(prefix);
    return await deleteAll(this.list(prefix, {}, signal), (key) => this.#deleteRaw(key, signal));
  }

  async signedUrl(key: string, ttlSeconds: number): Promise<string> {
    checkKey(key);
    const { GetObjectCommand } = await import("@aws-sdk/client-s3");
    const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner");
    const { bucket: Bucket, keyed } = this.#settings;
    const command = new GetObjectCommand({ Bucket, Key: key, ...keyed });
    try {
      return await getSignedUrl(await this.#client("public"), command, { expiresIn: ttlSeconds });
    } catch (error) {
      throw explainS3(error, { verb: "sign an address for", key, place: this.place });
    }
  }

  /** Foreign tools may have written keys that we would not; what lies under the prefix is deleted all the same. */
  async #deleteRaw(key: string, signal?: AbortSignal): Promise<void> {
    const { DeleteObjectCommand } = await import("@aws-sdk/client-s3");
    const command = new DeleteObjectCommand({ Bucket: this.#settings.bucket, Key: key });
    await this.#try("delete", key, signal, (client) => client.send(command, sending(signal)));
  }

  async *#read(
    key: string,
    answer: { readonly Body?: unknown; readonly ContentLength?: number | undefined },
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      // In Node the body is a Readable; the client's type also covers browsers.
      for await (const chunk of answer.Body as AsyncIterable<Uint8Array>) {
        bytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw explainS3(error, { verb: "read", key, place: this.place });
    }
    signal?.throwIfAborted();
    if (answer.ContentLength !== undefined && bytes !== answer.ContentLength) {
      const found = `it ended after ${bytes} of ${answer.ContentLength} bytes`;
      throw new AppError("STORE_UNREACHABLE", `cannot read "${key}" in ${this.place}: ${found}`);
    }
  }

  async #try<T>(
    verb: string,
    key: string,
    signal: AbortSignal | undefined,
    work: (client: S3Client) => Promise<T>,
  ): Promise<T> {
    try {
      signal?.throwIfAborted();
      return await work(await this.#client("inner"));
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof SourceFault) throw error.cause;
      throw explainS3(error, { verb, key, place: this.place });
    }
  }

  #client(which: "inner" | "public"): Promise<S3Client> {
    return (this.#clients[which] ??= connect(this.#settings, which === "public"));
  }
}

async function connect(settings: S3Settings, forPublic: boolean): Promise<S3Client> {
  const { S3Client } = await import("@aws-sdk/client-s3");
  return new S3Client(await clientConfig(settings, forPublic));
}

function sending(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}

interface Page {
  readonly Contents?:
    | readonly { Key?: string | undefined; Size?: number | undefined; LastModified?: Date | undefined }[]
    | undefined;
  readonly CommonPrefixes?: readonly { Prefix?: string | undefined }[] | undefined;
}

function merged({ Contents = [], CommonPrefixes = [] }: Page): Entry[] {
  const objects = Contents.flatMap(({ Key, Size, LastModified }) =>
    Key === undefined ? [] : [{ key: Key, bytes: Size ?? 0, modifiedAt: LastModified ?? new Date(0) }],
  );
  return inOrder(
    objects,
    CommonPrefixes.flatMap(({ Prefix }) => (Prefix === undefined ? [] : [Prefix])),
  );
}
