import type { CompletedPart, S3Client, UploadPartCommandOutput } from "@aws-sdk/client-s3";
import { cutInto, sendParts } from "./chunks.ts";
import type { S3Settings } from "./s3-config.ts";
import type { Body } from "./store.ts";

/** S3 allows 10,000 parts, so one object is at most 80 GB; memory is bounded by this times (parallel + 1). */
const partBytes = 8 * 1024 * 1024;
const parallel = 2;

/** Writes an object: in one request when it fits a part, else in parts, which are dropped again on any failure. */
export async function upload(
  client: S3Client,
  settings: S3Settings,
  object: { readonly key: string; readonly body: Body },
  signal?: AbortSignal,
): Promise<void> {
  const { PutObjectCommand } = await import("@aws-sdk/client-s3");
  const cut = await cutInto(object.body, partBytes, signal);
  const abortSignal = signal === undefined ? {} : { abortSignal: signal };
  if ("whole" in cut) {
    const { bucket, checksum, keyed, writing } = settings;
    const Body = cut.whole;
    const input = { Bucket: bucket, Key: object.key, Body, ...keyed, ...writing };
    await client.send(
      new PutObjectCommand({ ...input, ...(checksum && { ChecksumAlgorithm: checksum }) }),
      abortSignal,
    );
    return;
  }
  await multipart(client, settings, { key: object.key, parts: cut.parts }, signal);
}

async function multipart(
  client: S3Client,
  settings: S3Settings,
  object: { readonly key: string; readonly parts: AsyncIterable<Uint8Array> },
  signal?: AbortSignal,
): Promise<void> {
  const s3 = await import("@aws-sdk/client-s3");
  const { bucket: Bucket, checksum, keyed, writing } = settings;
  const options = signal === undefined ? {} : { abortSignal: signal };
  const sum = checksum === undefined ? {} : { ChecksumAlgorithm: checksum };
  const created = await client.send(
    new s3.CreateMultipartUploadCommand({ Bucket, Key: object.key, ...sum, ...keyed, ...writing }),
    options,
  );
  const target = { Bucket, Key: object.key, UploadId: created.UploadId };
  const done: CompletedPart[] = [];
  const send = async (Body: Uint8Array, index: number) => {
    const PartNumber = index + 1;
    const part = new s3.UploadPartCommand({ ...target, PartNumber, Body, ...sum, ...keyed });
    done[PartNumber - 1] = completed(PartNumber, await client.send(part, options));
  };
  try {
    const number = await sendParts(object.parts, parallel, send, signal);
    if (done.length !== number || done.includes(undefined as never)) throw new Error("a part was lost");
    const MultipartUpload = { Parts: done };
    await client.send(
      new s3.CompleteMultipartUploadCommand({ ...target, MultipartUpload, ...keyed }),
      options,
    );
  } catch (error) {
    await client.send(new s3.AbortMultipartUploadCommand(target)).catch(() => undefined); // the first error counts
    throw error;
  }
}

function completed(PartNumber: number, out: UploadPartCommandOutput): CompletedPart {
  const { ETag, ChecksumCRC32, ChecksumCRC32C, ChecksumCRC64NVME, ChecksumSHA1, ChecksumSHA256 } = out;
  return { PartNumber, ETag, ChecksumCRC32, ChecksumCRC32C, ChecksumCRC64NVME, ChecksumSHA1, ChecksumSHA256 };
}
