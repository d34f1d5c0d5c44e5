// partitioned: browsers send it in the frame of a panel on another site too
const cookie = { httpOnly: true, secure: true, sameSite: 'none', partitioned: true, path: '/', maxAge: 3600 } as const;

/** The panel opens this: the token moves to a cookie, and out of the address. */
export default defineEventHandler((event) => {
  const { previewToken, article } = getQuery(event);
  setCookie(event, 'previewToken', String(previewToken ?? ''), cookie);
  return sendRedirect(event, `/articles/${encodeURIComponent(String(article ?? ''))}`);
});
