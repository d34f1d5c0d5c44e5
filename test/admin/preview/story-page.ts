import { ready, subscribe } from '@payloadcms/live-preview';

// what this page uses of a browser
declare const document: { querySelector: (selector: string) => { textContent: string } };
declare const location: { readonly search: string };
declare class EventSource {
  constructor(address: string);
  addEventListener: (event: string, hear: () => void) => void;
  close: () => void;
}
declare const serverURL: string;

interface Story {
  readonly id: number;
  readonly title: string;
  readonly tags?: unknown;
  readonly lead?: unknown;
  readonly part?: unknown;
}

/** The page of a small front end: it shows a story, reads it again after each save, and shows what the editor types. */
const token = new URLSearchParams(location.search).get('previewToken') ?? '';

const show = (title: string): void => {
  document.querySelector('h1').textContent = title;
};

async function load(): Promise<Story> {
  const answer = await fetch(`${serverURL}/api/storys/1`, { headers: { 'X-Preview-Token': token } });
  const { data } = (await answer.json()) as { readonly data: { readonly id: number; readonly attributes: Story } };
  show(`${data.attributes.title} (stored)`);
  return { ...data.attributes, id: data.id };
}

const events = new EventSource(`${serverURL}/api/preview/events?previewToken=${token}`);
events.addEventListener('save', () => void load());
events.addEventListener('end', () => {
  events.close();
});
subscribe<Story>({
  serverURL,
  initialData: await load(),
  depth: 1,
  // the panel sends all values of the form, so that nothing has to be asked for
  requestHandler: async ({ data }) => Promise.resolve(Response.json(data['data'])),
  callback: ({ title, tags, lead, part }) => {
    show(`${title} (typed)`);
    document.querySelector('pre').textContent = JSON.stringify({ tags, lead, part });
  },
});
ready({ serverURL });
