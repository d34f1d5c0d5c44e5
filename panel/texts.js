/** All texts of Mangrove in the panel, by language, part and name. A text that a language lacks is shown in English. */
const texts = {
  en: {
    schedule: { title: 'Schedule', publishAt: 'Publish at', unpublishAt: 'Unpublish at' },
    signOn: { button: 'Log in with {name}' },
    actions: {
      create: 'created',
      update: 'changed',
      publish: 'published',
      unpublish: 'unpublished',
      delete: 'deleted',
      keep: 'first kept',
    },
    authors: {
      administrator: 'Administrator {id}',
      user: 'User {id}',
      token: 'API token {id}',
      public: 'The public',
      schedule: 'Schedule',
      code: 'Code',
    },
    history: {
      title: 'History',
      none: 'No versions yet.',
      version: 'Version {version}, {action}',
      older: 'Older versions',
      choose: 'Version',
      then: 'In this version',
      now: 'Now',
      same: 'Nothing differs from the entry as it is now.',
      close: 'Close',
      restore: 'Restore',
      unsaved: 'Save or discard what you have typed before you restore a version.',
      restored: 'The version is restored.',
      partly: 'The version is restored. This stayed as it was: {names}.',
      open: 'Show the entry',
    },
    workflow: {
      stage: 'Stage',
      assignee: 'Assignee',
      nobody: 'Nobody',
      all: 'All stages',
      moved: 'Moved there {at} · {by}',
    },
    trash: {
      title: 'Trash',
      subtitle: 'Deleted entries, the newest first. They are kept for some days.',
      noTypes: 'There are no content types whose deleted entries you may see.',
      type: 'Content type',
      none: 'The trash is empty.',
      deleted: 'deleted {time} by {by}',
      more: 'Show more',
      restore: 'Restore',
      restored: 'The entry is restored.',
      partly: 'The entry is restored. The model cannot take this any more: {names}.',
      end: 'Delete for good',
      confirm: 'Nobody can restore this entry afterwards.',
      ended: 'The entry is deleted for good.',
    },
    audit: {
      title: 'Audit',
      subtitle: 'Who has changed which entries, the newest first',
      uid: 'Content type',
      id: 'Id of the entry',
      action: 'Action',
      by: 'By',
      byHint: 'administrator:1, user:1, token:1, public, schedule or code',
      from: 'From',
      to: 'To',
      all: 'All',
      at: 'Time',
      entry: 'Entry',
      none: 'No such changes.',
      more: 'Show more',
    },
  },
  de: {
    schedule: { title: 'Zeitplan', publishAt: 'Veröffentlichen am', unpublishAt: 'Zurückziehen am' },
    signOn: { button: 'Anmelden mit {name}' },
  },
  fr: {
    schedule: { title: 'Programmation', publishAt: 'Publier le', unpublishAt: 'Dépublier le' },
    signOn: { button: 'Se connecter avec {name}' },
  },
};

/** Returns a text in the form of react-intl, by its part and name: `label('history.restore')`. */
export function label(path) {
  const [part, name] = path.split('.');
  return { id: `mangrove.${path}`, defaultMessage: texts.en[part][name] };
}

/** Returns the texts of a language, by their ids. */
export const messagesOf = (locale) =>
  Object.fromEntries(
    Object.entries(texts[locale] ?? {}).flatMap(([part, named]) =>
      Object.entries(named).map(([name, text]) => [`mangrove.${part}.${name}`, text]),
    ),
  );
