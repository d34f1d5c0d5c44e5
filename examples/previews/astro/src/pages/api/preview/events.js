export const prerender = false;

/** Passes on what the service says of the entry, so that the page itself needs no token. */
export async function GET({ cookies, request: { signal } }) {
  const token = cookies.get('previewToken')?.value ?? '';
  const answer = await fetch(`${process.env.MANGROVE_URL}/api/preview/events`, {
    headers: { 'X-Preview-Token': token },
    signal,
  });
  return new Response(answer.body, { status: answer.status, headers: { 'Content-Type': 'text/event-stream' } });
}
