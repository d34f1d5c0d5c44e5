import { cookies, draftMode } from 'next/headers';
import { notFound } from 'next/navigation';
import { Article } from './article.jsx';

export const revalidate = 60; // of what is published; drafts are read each time
export const generateStaticParams = () => [];

export default async function Page({ params }) {
  const { id } = await params;
  const { isEnabled } = await draftMode();
  const token = isEnabled ? (await cookies()).get('previewToken')?.value : undefined;
  const address = `${process.env.MANGROVE_URL}/api/articles/${encodeURIComponent(id)}`;
  const options = { headers: { 'X-Preview-Token': token }, cache: 'no-store' };
  const preview = token === undefined ? null : await fetch(address, options);
  const isPreview = preview !== null && preview.status !== 401; // a 401 says that the token has ended
  const answer = isPreview ? preview : await fetch(address);
  if (!answer.ok) notFound();
  const { data } = await answer.json();
  return <Article stored={{ id: data.id, ...data.attributes }} panel={isPreview ? process.env.MANGROVE_URL : null} />;
}
