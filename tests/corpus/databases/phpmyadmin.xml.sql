<?xml version="1.0" encoding="utf-8"?>
<pma_xml_export version="1.0"></pma_xml_export>
