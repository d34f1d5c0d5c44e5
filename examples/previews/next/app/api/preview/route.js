import { cookies, draftMode } from 'next/headers';
import { redirect } from 'next/navigation';

// partitioned: browsers send it in the frame of a panel on another site too
const cookie = { httpOnly: true, secure: true, sameSite: 'none', partitioned: true, path: '/', maxAge: 3600 };

/** The panel opens this: the token moves to a cookie, and out of the address. */
export async function GET({ nextUrl: { searchParams } }) {
  (await draftMode()).enable();
  const store = await cookies();
  store.set('__prerender_bypass', store.get('__prerender_bypass')?.value ?? '', cookie); // that of the draft mode
  store.set('previewToken', searchParams.get('previewToken') ?? '', cookie);
  redirect(`/articles/${encodeURIComponent(searchParams.get('article') ?? '')}`);
}
