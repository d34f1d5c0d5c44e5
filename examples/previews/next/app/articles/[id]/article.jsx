'use client';
import { ready, subscribe, unsubscribe } from '@payloadcms/live-preview';
import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';

export function Article({ stored, panel }) {
  const { title, text } = useDraft(stored, panel);
  return (
    <main>
      <h1>{title}</h1>
      <p>{text}</p>
    </main>
  );
}

/** Returns an entry as it is stored, or as an editor types it. `panel` is the address of the service; null if no draft is shown. */
function useDraft(stored, panel) {
  const router = useRouter();
  const [typed, setTyped] = useState(null);
  useEffect(() => setTyped(null), [stored]);
  useEffect(() => {
    if (panel === null) return undefined;
    const events = new EventSource('/api/preview/events');
    events.addEventListener('save', () => router.refresh());
    events.addEventListener('end', () => events.close());
    const requestHandler = async ({ data }) => Response.json(data.data); // the panel sends all values of the form
    const subscription = subscribe({ serverURL: panel, initialData: stored, requestHandler, callback: setTyped });
    ready({ serverURL: panel });
    return () => {
      events.close();
      unsubscribe(subscription);
    };
  }, [panel]);
  return typed ?? stored;
}
