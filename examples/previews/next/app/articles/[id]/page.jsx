import { cookies, draftMode } from 'next/headers';
import { notFound } from 'next/navigation';
import { Article } from './article.jsx';

export const revalidate = 60; // of what is published; drafts are read each time
export const generateStaticParams = () => [];

export default async function Page({ params }) {
  const { id } = await params;
  const { isEnabled } = await draftMode();
  const token = isEnabled ? (await cookies()).get('previewToken')?.value : undefined;
  const options = token === undefined ? {} : { headers: { 'X-Preview-Token': token }, cache: 'no-store' };
  const answer = await fetch(`${process.env.MANGROVE_URL}/api/articles/${encodeURIComponent(id)}`, options);
  if (!answer.ok) notFound();
  const { data } = await answer.json();
  return <Article stored={{ id: data.id, ...data.attributes }} panel={token === undefined ? null : process.env.MANGROVE_URL} />;
}
