import { useState } from 'react';
import { useIntl } from 'react-intl';
import { Box, ContentLayout, HeaderLayout, Main, Typography } from '@strapi/design-system';
import { CheckPagePermissions } from '@strapi/helper-plugin';
import { File } from '@strapi/icons';
import { authorName } from '../authors.js';
import { EntryLink } from '../entry-link.jsx';
import { PagedTable, usePages } from '../paged-table.jsx';
import { label } from '../texts.js';
import { AuditFilters } from './filters.jsx';

const permissions = [{ action: 'plugin::mangrove.audit', subject: null }];

/** The page with the writes of entries. */
export const audit = {
  name: 'audit',
  links: [
    {
      to: '/plugins/mangrove-audit',
      icon: File,
      intlLabel: label('audit.title'),
      permissions,
      Component: async () => ({ default: AuditPage }),
    },
  ],
};

/** Changes that are read at once. */
const pageSize = 50;

/** The largest `start` that the service takes. */
const mostSkipped = 10_000;

function AuditPage() {
  return (
    <CheckPagePermissions permissions={permissions}>
      <Audit />
    </CheckPagePermissions>
  );
}

function Audit() {
  const { formatMessage } = useIntl();
  const [filters, setFilters] = useState({});
  const isAsked = !filters.id || Boolean(filters.uid); // an id is one of a type
  const query = useChanges(filters, isAsked);
  const columns = useColumns();
  return (
    <Main aria-busy={query.isFetching}>
      <HeaderLayout title={formatMessage(label('audit.title'))} subtitle={formatMessage(label('audit.subtitle'))} />
      <ContentLayout>
        <AuditFilters filters={filters} onChange={setFilters} />
        <Box paddingTop={4}>
          <PagedTable
            columns={columns}
            query={query}
            none={formatMessage(isAsked ? label('audit.none') : label('audit.idAlone'))}
          />
        </Box>
      </ContentLayout>
    </Main>
  );
}

/** Returns the changes that meet the filters, page by page. */
function useChanges(filters, isAsked) {
  const params = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
  return usePages(['mangrove-audit', params], '/admin/api/audit/content', {
    pageSize,
    paramsOf: (start) => (start > mostSkipped ? undefined : { ...params, start, limit: pageSize }),
    enabled: isAsked,
  });
}

function useColumns() {
  const { formatMessage, formatDate } = useIntl();
  const shown = {
    at: ({ at }) => formatDate(at, { dateStyle: 'medium', timeStyle: 'medium' }),
    action: ({ action }) => formatMessage(label(`actions.${action}`)),
    entry: ({ uid, id, action }) => <Entry uid={uid} id={id} isThere={action !== 'delete'} />,
    by: ({ by, client }) => [authorName(by, formatMessage), client].filter(Boolean).join(', '),
  };
  return Object.entries(shown).map(([name, show]) => ({ title: formatMessage(label(`audit.${name}`)), show }));
}

/** The entry of a change, with a link to its form if it is content. */
const Entry = ({ uid, id, isThere }) =>
  isThere && uid.startsWith('api::') ? (
    <EntryLink uid={uid} id={id}>{`${uid} ${id}`}</EntryLink>
  ) : (
    <Typography>{`${uid} ${id}`}</Typography>
  );
