/** An answer that says no, in JSON. */
export function answer(status: number, code: string, message: string): Response {
  const headers = {
    "content-type": "application/json",
    ...(status === 401 && { "www-authenticate": "Bearer" }),
  };
  return new Response(`${JSON.stringify({ error: { code, message } })}\n`, { status, headers });
}
