import { useState } from 'react';
import { useIntl } from 'react-intl';
import { Flex, TextButton, Typography } from '@strapi/design-system';
import { useCMEditViewDataManager } from '@strapi/helper-plugin';
import { authorName } from '../authors.js';
import { byPage, usePages } from '../paged-table.jsx';
import { SideBox } from '../side-box.jsx';
import { label } from '../texts.js';
import { VersionDialog } from './version-dialog.jsx';

/** The last versions of an entry in the side of its form, of types with `options.history`. */
export const history = { name: 'history', zones: [['editView', 'informations', History]] };

/** How many versions the side shows. */
const shown = 5;

/** Versions that are read at once. */
const pageSize = 25;

function History() {
  const { slug, initialData, isCreatingEntry, allLayoutData, readActionAllowedFields } = useCMEditViewDataManager();
  const hasVersions = allLayoutData.contentType?.options?.history !== undefined;
  if (isCreatingEntry || !hasVersions || initialData.id === undefined || readActionAllowedFields.length === 0) return null;
  return <Versions path={`/admin/api/history/${slug}/${initialData.id}`} updatedAt={initialData.updatedAt} />;
}

function Versions({ path, updatedAt }) {
  const { formatMessage, formatDate } = useIntl();
  const [opened, setOpened] = useState(null);
  const { rows: versions, isSuccess, ...more } = usePages([path, updatedAt], path, byPage(pageSize));
  return (
    <SideBox title={formatMessage(label('history.title'))}>
      <Flex direction="column" alignItems="stretch" gap={2}>
        {isSuccess && versions.length === 0 && <Typography>{formatMessage(label('history.none'))}</Typography>}
        {versions.slice(0, shown).map(({ version, at, by, action }) => (
          <Flex key={version} direction="column" alignItems="flex-start">
            <TextButton onClick={() => setOpened(version)}>
              {formatMessage(label('history.version'), { version, action: formatMessage(label(`actions.${action}`)) })}
            </TextButton>
            <Typography variant="pi" textColor="neutral600">
              {formatDate(at, { dateStyle: 'medium', timeStyle: 'short' })}
              {` · ${authorName(by, formatMessage)}`}
            </Typography>
          </Flex>
        ))}
        {versions.length > shown && (
          <TextButton onClick={() => setOpened(versions[shown].version)}>{formatMessage(label('history.older'))}</TextButton>
        )}
      </Flex>
      {opened !== null && (
        <VersionDialog {...{ path, versions, more, updatedAt }} first={opened} onClose={() => setOpened(null)} />
      )}
    </SideBox>
  );
}
