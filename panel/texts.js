/** All texts of Mangrove in the panel, by language, part and name. A text that a language lacks is shown in English. */
const texts = {
  en: {
    schedule: { title: 'Schedule', publishAt: 'Publish at', unpublishAt: 'Unpublish at' },
    signOn: { button: 'Log in with {name}' },
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
