import { cookies } from 'next/headers';

/** Passes on what the service says of the entry, so that the page itself needs no token. */
export async function GET({ signal }) {
  const token = (await cookies()).get('previewToken')?.value ?? '';
  const answer = await fetch(`${process.env.MANGROVE_URL}/api/preview/events`, {
    headers: { 'X-Preview-Token': token },
    signal,
  });
  return new Response(answer.body, { status: answer.status, headers: { 'Content-Type': 'text/event-stream' } });
}
