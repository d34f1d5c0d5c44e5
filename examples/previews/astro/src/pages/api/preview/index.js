export const prerender = false;

// partitioned: browsers send it in the frame of a panel on another site too
const cookie = { httpOnly: true, secure: true, sameSite: 'none', partitioned: true, path: '/', maxAge: 3600 };

/** The panel opens this: the token moves to a cookie, and out of the address. */
export function GET({ url: { searchParams }, cookies, redirect }) {
  cookies.set('previewToken', searchParams.get('previewToken') ?? '', cookie);
  return redirect(`/articles/${encodeURIComponent(searchParams.get('article') ?? '')}`);
}
