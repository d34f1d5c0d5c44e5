/**
 * The module with a plugin of the panel that shows the times of scheduled publishing in the side of the form of an entry. It shows none
 * that the view of the type places among the fields.
 */
export const scheduleBox = `
import { createElement } from 'react';
import { useIntl } from 'react-intl';
import styled from 'styled-components';
import { Box, Divider, Flex, Typography } from '@strapi/design-system';
import { GenericInput, useCMEditViewDataManager } from '@strapi/helper-plugin';

const texts = {
  en: { title: 'Schedule', publishAt: 'Publish at', unpublishAt: 'Unpublish at' },
  de: { title: 'Zeitplan', publishAt: 'Veröffentlichen am', unpublishAt: 'Zurückziehen am' },
  fr: { title: 'Programmation', publishAt: 'Publier le', unpublishAt: 'Dépublier le' },
};
const labelOf = (name) => ({ id: 'mangrove.schedule.' + name, defaultMessage: texts.en[name] });

// a date and a time are wider than the side
const Times = styled(Flex)([' fieldset > span > div { flex-wrap: wrap; }']);

const Schedule = () => {
  const { formatMessage } = useIntl();
  const { allLayoutData, modifiedData, formErrors, onChange, isCreatingEntry, ...rights } = useCMEditViewDataManager();
  const type = allLayoutData.contentType;
  const placed = new Set((type?.layouts?.edit ?? []).flat(Infinity).map(({ name }) => name));
  const changeable = isCreatingEntry ? rights.createActionAllowedFields : rights.updateActionAllowedFields;
  const readable = isCreatingEntry ? changeable : rights.readActionAllowedFields;
  const names = ['publishAt', 'unpublishAt'].filter((name) => !placed.has(name) && readable.includes(name));
  if (type?.pluginOptions?.schedule?.enabled !== true || names.length === 0) return null;
  const input = (name) => createElement(GenericInput, {
    key: name, name, type: 'datetime', intlLabel: labelOf(name), value: modifiedData[name] ?? null,
    error: formErrors[name]?.id, disabled: !changeable.includes(name), onChange,
  });
  const title = createElement(Typography, { variant: 'sigma', textColor: 'neutral600' }, formatMessage(labelOf('title')));
  return createElement(Box, { paddingTop: 6 }, title, createElement(Box, { paddingTop: 2, paddingBottom: 6 }, createElement(Divider)),
    createElement(Times, { direction: 'column', alignItems: 'stretch', gap: 4 }, ...names.map(input)));
};

const messagesOf = (locale) =>
  Object.fromEntries(Object.entries(texts[locale] ?? {}).map(([name, text]) => [labelOf(name).id, text]));

export default {
  register() {},
  bootstrap(app) {
    app.injectContentManagerComponent('editView', 'informations', { name: 'mangrove-schedule', Component: Schedule });
  },
  registerTrads: async ({ locales }) => locales.map((locale) => ({ locale, data: messagesOf(locale) })),
};
`;
