/** Splits bytes into lines; a line beyond the limit is an error, since nothing else bounds it. */
export async function* lines(chunks: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<string> {
  let tail: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      if (end < 0) break;
      const part = chunk.subarray(start, end);
      yield (tail.length === 0 ? part : Buffer.concat([...tail, part])).toString();
      tail = [];
      size = 0;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    tail.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > limitBytes) throw new RangeError(`a line is longer than ${limitBytes} bytes`);
  }
  if (size > 0) yield Buffer.concat(tail).toString();
}
