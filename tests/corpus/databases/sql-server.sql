USE [shop]
GO
SET ANSI_NULLS ON
GO
CREATE TABLE [dbo].[goods](
	[id] [int] IDENTITY(1,1) NOT NULL
) ON [PRIMARY]
GO
