-- migration 0010, by the code of commit 5b5b0c9; made by make.py
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0010');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s BIGINT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-8a4f0a17',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-8a4f0a17',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-8a4f0a17',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-8a4f0a17',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-8a4f0a17',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-8a4f0a17',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-8a4f0a17',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-8a4f0a17',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-8a4f0a17',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-8a4f0a17',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-8a4f0a17',1700000085,'main',36.0);
INSERT INTO "buckets" VALUES('job-e50da043',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-e50da043',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-e50da043',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-e50da043',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-e50da043',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-e50da043',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-e50da043',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-e50da043',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-e50da043',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-e50da043',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-e50da043',1700000085,'main',36.0);
CREATE TABLE code (
	sha256 VARCHAR(64) NOT NULL, 
	content BLOB NOT NULL, 
	stored_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_code PRIMARY KEY (sha256)
);
CREATE TABLE decisions (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	at_s FLOAT NOT NULL, 
	last_at_s FLOAT NOT NULL, 
	ticks INTEGER NOT NULL, 
	policy VARCHAR(64) NOT NULL, 
	action VARCHAR(16) NOT NULL, 
	code VARCHAR(64) NOT NULL, 
	from_group TEXT, 
	to_group TEXT, 
	"plan" TEXT NOT NULL, 
	snapshot BLOB NOT NULL, version INTEGER DEFAULT '1' NOT NULL, weighed_at_s FLOAT, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "decisions" VALUES(1,'job-8a4f0a17',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB8EDB3A0CFC173DA741B2D96EB7F98EBE158520CBB4A34696545D92CD2EF6DF3BB42D27E9C1418102E792A788A6861C6A44EA4D387F9649ECB79F36D3EF61BD5989EFBE11FB37615AB1E7FF1F9ED563B751DB4F62255220CDDF9C1A085FC9B5D4C2ACFD302807FFAF224765DC3A5CC43736B7F072C5DA155C4FD8F8BE12671F8FD6ABB67E385C02C5A0221033C5343939EC4C72300EB92D2BF572B33A2B97690171217A2D0124DD1853A8923D12EBAD6F94958DCAFA507D0DC2A86CBC63E24C7A257CF39D743627626E886306F3CA2857D711BBF5D6AA08D896546B8D23AEDD04DA94B6A72C4B5A52020C2FC78D075F62B59F942D247D27B319E8EA513F7B07DA09B8A2532953CA622E87CC2814EC5FB9B02A286DF28589BA0B120ADE1ACDCB063BE41802D6CEBC502B97CD354438A834222DE738E0CCE05F5C36562EA427FF77C46BF950651F951E29EF362C936C08A4C4972D760E1E61931A82A5F90443246DD28232D523223B15F352355F7228D7E5DD3145FA514CA4815C9E5927CA254C7F5B9555754CA4234D3EEF3339A4158B73C6F5ACD9D20C26432C52E53BB18F2C4ED0DC98E5C38D32C4FE9165316A1920B282CE75EA604D8705B00ABCE578952DA5A47ABA9269BDC30AA0470AF9D71AB3C35419867CA5E8C5BE533611B2CF3E40ED077252A5E355F177B5A218FD2C30940040D062FDA64B8CA8E17253F8F64C45BC53D5A205EBB5B2EB1F05D9106B5D8782BCD70F1F99D4E0E345F606FD61EC147D2852FBC2E8F36A00A6BD0AED920CD0E0136929D4A20C0E2BBAB07BE05E61869B72A9F664928FB229FA5899BCAF7E49F1A06C77CDEF7F975E07634D6FCBD9FCB7E97DE3AD46CF67CDBD1DADD4771DC551B56FE2A64DFC5503D77EE3DD8796C666BF12AFA3A6276F6E5337CD0C778B15834E645AD9453F8C37EFE9337E4F8FD3CDF34DA278FA9B6B99D03135838F2D100A7FC1654CF23E02D79C993CFC8E4995CA9FD078FCD768EC7E47A34AEA4F687CFEC7598C1D3A9ADA5DD2D9A0432D13EBA05CBF7C0A6848D3ACC4C60D84683171B985F3F48D3D8FFDCD7ACB0F086F5B7F769CD2D3944B8E0657E26C1CECB03E570B27930E2AD2DC0CA6F032A8924842F9B80F70FFC8108DF7F96ADAB189F1648D348DB7F1B6F0A343E26AB1F9B9D62A8569FFFDE7DD9C201E2D6628836C8CB5A8671A39D62C31F60913E7B2B4F7484AF31CB8CE915A55F409CC4B4D7895B415C3E8E3CC82CFD7A99332563596E6A1E84B33BE896E164B95D12392D4189BD6F7F288771F6A9C6321E69E0F18F06CE08D5C9DF99C02CA5FFF629E32348FF6481D8A3AC72115EDF810C0F4FD09EDD17A0C',1,1700000002.0);
INSERT INTO "decisions" VALUES(2,'job-e50da043',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB8EDB380CFD173DA741269999B6F98E7D2B0A4196E9448D2CA9BA249319CCBFF7D0B6ECA48B458102DDDD3C451445F21C1D917E13CE5F6412FB878F9BF1B75D6F56E29B6FC4FE4D9856ECF9FF077ADAB46AF3B8132B910269DE73AA27ECE6A88C33EE801DEDFB5E391CF9325AD7E12ABEB2B985A32BD6AE04B933CEBEAFC4C5C793F5AAAD1BC76BA0185444D04C318D4E0E2793EC8D4379F34ABDDCAC2ECA659A83B810BD960824DD9053A8923D0A3B58DF282B1B95F5B1FA1AA451D978C7D819F74AF8E61BE96CCEC4F090C7F4E695A32CAE43ECD65BAB22C2B6A45A6B1C317D63D0A6B407CAB2A4B92484E1E570F0E84BACF6B3B285A4EF64363D2D1E75DB3BC04E882B3A9532A52C263A640651B07F61625550DAE42B0375571414BC359A970D4EC82105AC9D79A156CE876B8A70546988345F658F3B837F71D95839831EFDDF91AFE54B9587A8F40079B761A564430025FE7AC0C9DE236D527DB034DD6088A44D9AA38C7C4454A7629E59F32587B22CEFAE29D2F76222F5E4F2843A512E61FCDBAAACAA63221D69F4799FC0A1AC58DC24CE549ADE648845AA7CA7F701C5199A1BAADCDE2843EC1F591655E1B2069D78EA604DC739601578CBF92A5A4A491D6801D37A8715829E28E49F39668791190EF94AD18B7DA76C22549F7D80DA8FE4A44AA745F1775C518C7E121828402068B1EEE91223389C5F0ABF9E91C43B55CD5AB05E2BBBFE5E500DB1D67528A87BBD7D6250BD8F577930681143B3388422B52F1C7D5AF5886917A15D934134F8449A899A95C1694517765BEE15A6BFA14BB567937C944DD1A78AE47DF553894765BBA5BEFF5D791D8CB5BC07AEE6BF2DEF2B1F357ABA6B6EEF68A5BEEB280EAA7D13376DE2EF1A58FA8D771F5A1A9AFD4ABC0E9A1EBDB94DDD3433BC2D560C3A916965177D3FBCBCE7CFF83D3F8E2FCF3789E2F91F9E6542C7D4C394E1160885BFE03126799F81396724DB5F21A952F91D188FFF1A8CDDAF605449FD0E8CCF7F1CC5D0A1A3A9DD255D0C3AD43CB18ECA1DE6AD808634CE4A1CDC40881613975B384FDF78E0B1BF593FF00784B7ADBF382EE979AC2547832771310E76583F550B17938E2AD2D40CC6F432A8924842F9780F707FE2108DF77931EDD8C4F164CD348EB7E1B5F04787C4D362F3A7CA550AE3F9FBEDDD54203E5A4C5F7AD9186BC1671A30D62A31F60913E73AB7F7484AF31C58E64865157D02F35213BE4ADA1AC3E8D38482EFD7A9B332563596A6A1E84B337C13DD2C6696D12392D4189BD61FE4099F7EE038C7428C3D1F31E0D9C007999DE99E02E8AF7F314F39348FF6481D489DF2908A76F810C0F4FD0196D87B62',1,1700000002.0);
CREATE TABLE events (
	id INTEGER NOT NULL, 
	at_s FLOAT NOT NULL, 
	job_id VARCHAR(32), 
	node_id VARCHAR(32), 
	kind VARCHAR(32) NOT NULL, 
	text TEXT NOT NULL, 
	numbers TEXT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,1700000300.0,NULL,NULL,'price','local.half on-demand local: $0.36/h is now $0.72/h','{"before_usd_per_h": 0.36, "usd_per_h": 0.72}');
INSERT INTO "events" VALUES(2,1700000000.0,'job-8a4f0a17',NULL,'job_submitted','job ended submitted, to run on T1','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-8a4f0a17',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-8a4f0a17',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-8a4f0a17','node-4e105e60','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-8a4f0a17','node-4e105e60','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-8a4f0a17','node-45314c80','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-8a4f0a17','node-45314c80','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-8a4f0a17',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-8a4f0a17',NULL,'decision','start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-8a4f0a17',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-8a4f0a17','node-4e105e60','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-8a4f0a17','node-4e105e60','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-8a4f0a17','node-45314c80','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-8a4f0a17','node-45314c80','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-8a4f0a17',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-8a4f0a17',NULL,'job_phase','job ended was cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-e50da043',NULL,'job_submitted','job training submitted, to run on T1','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-e50da043',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-e50da043',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-e50da043','node-62ed6641','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-e50da043','node-62ed6641','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-e50da043','node-bea66454','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-e50da043','node-bea66454','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-e50da043',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-e50da043',NULL,'decision','start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-e50da043',NULL,'note','a note of training','{}');
CREATE TABLE generations (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	node_ids TEXT NOT NULL, 
	members TEXT NOT NULL, 
	rdzv_endpoint VARCHAR(128) NOT NULL, 
	started_at_s FLOAT NOT NULL, 
	drain_at_s FLOAT, 
	ended_at_s FLOAT, 
	first_step_at_s FLOAT, 
	last_step_at_s FLOAT, 
	hangs BOOLEAN NOT NULL, world_size INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_generations PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_generations_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "generations" VALUES('job-8a4f0a17',1,'["node-4e105e60", "node-45314c80"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5,0,2);
INSERT INTO "generations" VALUES('job-e50da043',1,'["node-62ed6641", "node-bea66454"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5,0,2);
CREATE TABLE identity (
	id INTEGER NOT NULL, 
	holder VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_identity PRIMARY KEY (id)
);
CREATE TABLE intents (
	id INTEGER NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	request_hash VARCHAR(64) NOT NULL, 
	asked_by VARCHAR(32) NOT NULL, 
	created_at_s FLOAT NOT NULL, 
	done_at_s FLOAT, 
	outcome TEXT, 
	CONSTRAINT pk_intents PRIMARY KEY (id), 
	CONSTRAINT uq_intents_token_kind_node_id UNIQUE (token, kind, node_id)
);
INSERT INTO "intents" VALUES(1,'ba09b30c643e5b34c7e26e65f15659ef','launch','node-4e105e60','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'bb429805cf911b7d10dc030cc78a233c','launch','node-45314c80','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'ba09b30c643e5b34c7e26e65f15659ef','terminate','node-4e105e60','ba09b30c643e5b34c7e26e65f15659ef','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'bb429805cf911b7d10dc030cc78a233c','terminate','node-45314c80','bb429805cf911b7d10dc030cc78a233c','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'09bb3ff069f6beff08fea1f0d8ab64c2','launch','node-62ed6641','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'e161c2708be92d0a71c6d5b54e75a650','launch','node-bea66454','h','',1700000001.0,1700000005.0,'launched');
CREATE TABLE "jobs" (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	spec TEXT NOT NULL, 
	phase VARCHAR(24) NOT NULL, 
	submitted_at_s FLOAT NOT NULL, 
	version INTEGER NOT NULL, 
	iteration BIGINT NOT NULL, 
	progress_generation INTEGER NOT NULL, 
	newest_round BIGINT NOT NULL, 
	claimed_round BIGINT NOT NULL, 
	training_phase VARCHAR(64), 
	finished_at_s FLOAT, 
	ending VARCHAR(24), 
	message TEXT, 
	target TEXT, 
	code VARCHAR(64), 
	failures INTEGER NOT NULL, 
	failed_iteration BIGINT NOT NULL, 
	longest_pause_s FLOAT, 
	idempotency_key VARCHAR(255), 
	request_hash VARCHAR(64) NOT NULL, 
	redone BIGINT DEFAULT '0' NOT NULL, 
	kept_iteration BIGINT, 
	restarts_at_zero BOOLEAN DEFAULT 0 NOT NULL, 
	stops_when_asked BOOLEAN, 
	batch VARCHAR(8), 
	saves TEXT, error TEXT, 
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key), 
	CONSTRAINT uq_jobs_id UNIQUE (id)
);
INSERT INTO "jobs" VALUES(1,'job-8a4f0a17','ended','{"name":"ended","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"tier":"T1","most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','cancelled',1700000000.0,4,400,1,0,0,'main',1700000620.0,'cancelled','asked',NULL,NULL,0,-1,NULL,'ended','ended',0,NULL,0,NULL,NULL,NULL,NULL);
INSERT INTO "jobs" VALUES(2,'job-e50da043','training','{"name":"training","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"tier":"T1","most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','running',1700000000.0,2,400,1,0,0,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',NULL,0,-1,NULL,'training','training',0,NULL,0,NULL,NULL,NULL,NULL);
CREATE TABLE ledger (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	price_id INTEGER NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	from_s FLOAT NOT NULL, 
	to_s FLOAT, 
	minimum_s FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	is_waived BOOLEAN NOT NULL, 
	CONSTRAINT pk_ledger PRIMARY KEY (id), 
	CONSTRAINT fk_ledger_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT fk_ledger_node_id FOREIGN KEY(node_id) REFERENCES nodes (id), 
	CONSTRAINT fk_ledger_price_id FOREIGN KEY(price_id) REFERENCES prices (id)
);
INSERT INTO "ledger" VALUES(1,'job-8a4f0a17','node-4e105e60','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-8a4f0a17','node-4e105e60','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-8a4f0a17','node-45314c80','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-8a4f0a17','node-45314c80','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-e50da043','node-62ed6641','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-e50da043','node-62ed6641','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-e50da043','node-bea66454','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-e50da043','node-bea66454','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
CREATE TABLE nodes (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	phase VARCHAR(16) NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	intended_at_s FLOAT NOT NULL, 
	provider_id VARCHAR(128), 
	launched_at_s FLOAT, 
	joined_at_s FLOAT, 
	heartbeat_at_s FLOAT, 
	terminated_at_s FLOAT, 
	agent_state VARCHAR(16), 
	agent_generation INTEGER, 
	exit TEXT, 
	acked_seq BIGINT NOT NULL, 
	reason TEXT NOT NULL, 
	notice_kind VARCHAR(16), 
	notice_action VARCHAR(32), 
	notice_at_s FLOAT, 
	noticed_at_s FLOAT, 
	stopping_at_s FLOAT, 
	saving_s FLOAT, 
	tier VARCHAR(8), 
	failures INTEGER NOT NULL, 
	still_s FLOAT, 
	longest_pause_s FLOAT, 
	learnt_pause_s FLOAT, 
	extras_usd_per_h FLOAT, 
	minimum_billed_s FLOAT NOT NULL, 
	billed_from_s FLOAT, 
	is_waived BOOLEAN NOT NULL, processes INTEGER DEFAULT '1' NOT NULL, threads INTEGER DEFAULT '1' NOT NULL, image VARCHAR(64), setup_s FLOAT, setup_bytes BIGINT, prepared_at_s FLOAT, preparing TEXT, 
	CONSTRAINT pk_nodes PRIMARY KEY (seq), 
	CONSTRAINT fk_nodes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_nodes_id UNIQUE (id)
);
INSERT INTO "nodes" VALUES(1,'node-4e105e60','job-8a4f0a17','local.half','on-demand','local','terminated','ba09b30c643e5b34c7e26e65f15659ef',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(2,'node-45314c80','job-8a4f0a17','local.half','on-demand','local','terminated','bb429805cf911b7d10dc030cc78a233c',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(3,'node-62ed6641','job-e50da043','local.half','on-demand','local','joined','09bb3ff069f6beff08fea1f0d8ab64c2',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(4,'node-bea66454','job-e50da043','local.half','on-demand','local','joined','e161c2708be92d0a71c6d5b54e75a650',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE past_prices (
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_past_prices PRIMARY KEY (node_type, capacity, zone, valid_from_s)
);
CREATE TABLE pools (
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	history TEXT NOT NULL, 
	CONSTRAINT pk_pools PRIMARY KEY (node_type, capacity, zone)
);
CREATE TABLE prices (
	id INTEGER NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_prices PRIMARY KEY (id)
);
INSERT INTO "prices" VALUES(1,'local.half','on-demand','local',0.36,0.0,1699999900.0,1699999900.0,'test');
INSERT INTO "prices" VALUES(2,'local.half','on-demand','local',0.72,0.0,1700000300.0,1700000300.0,'test');
CREATE TABLE resumes (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	ending VARCHAR(24) NOT NULL, 
	resumed_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_resumes PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_resumes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE series (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	members TEXT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, iterations BIGINT DEFAULT '0' NOT NULL, elapsed_s FLOAT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_series PRIMARY KEY (id), 
	CONSTRAINT fk_series_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_series_job_id_members_training_phase UNIQUE (job_id, members, training_phase)
);
INSERT INTO "series" VALUES(1,'job-8a4f0a17','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
INSERT INTO "series" VALUES(2,'job-e50da043','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
CREATE TABLE windows (
	id INTEGER NOT NULL, 
	series_id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	seq BIGINT NOT NULL, 
	generation INTEGER NOT NULL, 
	world_size INTEGER NOT NULL, 
	iteration BIGINT, 
	iterations BIGINT NOT NULL, 
	elapsed_s FLOAT NOT NULL, 
	is_cold BOOLEAN NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_windows PRIMARY KEY (id), 
	CONSTRAINT fk_windows_series_id FOREIGN KEY(series_id) REFERENCES series (id), 
	CONSTRAINT uq_windows_node_id_seq UNIQUE (node_id, seq)
);
INSERT INTO "windows" VALUES(1,1,'job-8a4f0a17','node-4e105e60',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-8a4f0a17','node-4e105e60',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-8a4f0a17','node-4e105e60',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-8a4f0a17','node-4e105e60',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-8a4f0a17','node-4e105e60',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-8a4f0a17','node-4e105e60',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-8a4f0a17','node-4e105e60',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-8a4f0a17','node-4e105e60',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-8a4f0a17','node-4e105e60',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-8a4f0a17','node-4e105e60',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-8a4f0a17','node-4e105e60',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-8a4f0a17','node-4e105e60',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-8a4f0a17','node-4e105e60',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-8a4f0a17','node-4e105e60',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-8a4f0a17','node-4e105e60',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-8a4f0a17','node-4e105e60',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-8a4f0a17','node-4e105e60',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-8a4f0a17','node-4e105e60',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-8a4f0a17','node-4e105e60',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-8a4f0a17','node-4e105e60',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-8a4f0a17','node-4e105e60',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-8a4f0a17','node-4e105e60',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-8a4f0a17','node-4e105e60',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-8a4f0a17','node-4e105e60',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-8a4f0a17','node-4e105e60',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-8a4f0a17','node-4e105e60',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-8a4f0a17','node-4e105e60',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-8a4f0a17','node-4e105e60',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-8a4f0a17','node-4e105e60',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-8a4f0a17','node-4e105e60',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-8a4f0a17','node-4e105e60',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-8a4f0a17','node-4e105e60',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-8a4f0a17','node-4e105e60',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-8a4f0a17','node-4e105e60',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-8a4f0a17','node-4e105e60',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-8a4f0a17','node-4e105e60',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-8a4f0a17','node-4e105e60',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-8a4f0a17','node-4e105e60',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-8a4f0a17','node-4e105e60',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-8a4f0a17','node-4e105e60',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-8a4f0a17','node-4e105e60',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-8a4f0a17','node-4e105e60',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-8a4f0a17','node-4e105e60',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-8a4f0a17','node-4e105e60',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-8a4f0a17','node-4e105e60',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-8a4f0a17','node-4e105e60',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-8a4f0a17','node-4e105e60',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-8a4f0a17','node-4e105e60',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-8a4f0a17','node-4e105e60',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-8a4f0a17','node-4e105e60',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-8a4f0a17','node-4e105e60',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-8a4f0a17','node-4e105e60',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-8a4f0a17','node-4e105e60',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-8a4f0a17','node-4e105e60',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-8a4f0a17','node-4e105e60',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-8a4f0a17','node-4e105e60',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-8a4f0a17','node-4e105e60',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-8a4f0a17','node-4e105e60',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-8a4f0a17','node-4e105e60',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-8a4f0a17','node-4e105e60',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-8a4f0a17','node-4e105e60',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-8a4f0a17','node-4e105e60',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-8a4f0a17','node-4e105e60',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-8a4f0a17','node-4e105e60',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-8a4f0a17','node-4e105e60',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-8a4f0a17','node-4e105e60',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-8a4f0a17','node-4e105e60',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-8a4f0a17','node-4e105e60',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-8a4f0a17','node-4e105e60',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-8a4f0a17','node-4e105e60',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-8a4f0a17','node-4e105e60',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-8a4f0a17','node-4e105e60',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-8a4f0a17','node-4e105e60',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-8a4f0a17','node-4e105e60',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-8a4f0a17','node-4e105e60',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-8a4f0a17','node-4e105e60',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-8a4f0a17','node-4e105e60',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-8a4f0a17','node-4e105e60',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-8a4f0a17','node-4e105e60',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-8a4f0a17','node-4e105e60',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-8a4f0a17','node-4e105e60',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-8a4f0a17','node-4e105e60',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-8a4f0a17','node-4e105e60',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-8a4f0a17','node-4e105e60',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-8a4f0a17','node-4e105e60',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-8a4f0a17','node-4e105e60',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-8a4f0a17','node-4e105e60',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-8a4f0a17','node-4e105e60',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-8a4f0a17','node-4e105e60',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-8a4f0a17','node-4e105e60',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-8a4f0a17','node-4e105e60',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-8a4f0a17','node-4e105e60',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-8a4f0a17','node-4e105e60',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-8a4f0a17','node-4e105e60',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-8a4f0a17','node-4e105e60',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-8a4f0a17','node-4e105e60',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-8a4f0a17','node-4e105e60',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-8a4f0a17','node-4e105e60',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-8a4f0a17','node-4e105e60',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-8a4f0a17','node-4e105e60',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-e50da043','node-62ed6641',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-e50da043','node-62ed6641',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-e50da043','node-62ed6641',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-e50da043','node-62ed6641',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-e50da043','node-62ed6641',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-e50da043','node-62ed6641',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-e50da043','node-62ed6641',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-e50da043','node-62ed6641',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-e50da043','node-62ed6641',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-e50da043','node-62ed6641',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-e50da043','node-62ed6641',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-e50da043','node-62ed6641',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-e50da043','node-62ed6641',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-e50da043','node-62ed6641',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-e50da043','node-62ed6641',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-e50da043','node-62ed6641',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-e50da043','node-62ed6641',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-e50da043','node-62ed6641',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-e50da043','node-62ed6641',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-e50da043','node-62ed6641',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-e50da043','node-62ed6641',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-e50da043','node-62ed6641',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-e50da043','node-62ed6641',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-e50da043','node-62ed6641',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-e50da043','node-62ed6641',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-e50da043','node-62ed6641',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-e50da043','node-62ed6641',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-e50da043','node-62ed6641',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-e50da043','node-62ed6641',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-e50da043','node-62ed6641',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-e50da043','node-62ed6641',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-e50da043','node-62ed6641',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-e50da043','node-62ed6641',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-e50da043','node-62ed6641',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-e50da043','node-62ed6641',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-e50da043','node-62ed6641',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-e50da043','node-62ed6641',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-e50da043','node-62ed6641',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-e50da043','node-62ed6641',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-e50da043','node-62ed6641',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-e50da043','node-62ed6641',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-e50da043','node-62ed6641',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-e50da043','node-62ed6641',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-e50da043','node-62ed6641',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-e50da043','node-62ed6641',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-e50da043','node-62ed6641',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-e50da043','node-62ed6641',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-e50da043','node-62ed6641',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-e50da043','node-62ed6641',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-e50da043','node-62ed6641',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-e50da043','node-62ed6641',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-e50da043','node-62ed6641',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-e50da043','node-62ed6641',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-e50da043','node-62ed6641',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-e50da043','node-62ed6641',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-e50da043','node-62ed6641',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-e50da043','node-62ed6641',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-e50da043','node-62ed6641',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-e50da043','node-62ed6641',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-e50da043','node-62ed6641',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-e50da043','node-62ed6641',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-e50da043','node-62ed6641',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-e50da043','node-62ed6641',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-e50da043','node-62ed6641',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-e50da043','node-62ed6641',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-e50da043','node-62ed6641',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-e50da043','node-62ed6641',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-e50da043','node-62ed6641',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-e50da043','node-62ed6641',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-e50da043','node-62ed6641',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-e50da043','node-62ed6641',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-e50da043','node-62ed6641',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-e50da043','node-62ed6641',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-e50da043','node-62ed6641',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-e50da043','node-62ed6641',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-e50da043','node-62ed6641',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-e50da043','node-62ed6641',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-e50da043','node-62ed6641',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-e50da043','node-62ed6641',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-e50da043','node-62ed6641',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-e50da043','node-62ed6641',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-e50da043','node-62ed6641',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-e50da043','node-62ed6641',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-e50da043','node-62ed6641',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-e50da043','node-62ed6641',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-e50da043','node-62ed6641',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-e50da043','node-62ed6641',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-e50da043','node-62ed6641',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-e50da043','node-62ed6641',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-e50da043','node-62ed6641',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-e50da043','node-62ed6641',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-e50da043','node-62ed6641',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-e50da043','node-62ed6641',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-e50da043','node-62ed6641',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-e50da043','node-62ed6641',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-e50da043','node-62ed6641',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-e50da043','node-62ed6641',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-e50da043','node-62ed6641',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-e50da043','node-62ed6641',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-e50da043','node-62ed6641',100,1,2,400,4,0.5,0,1700000089.5);
CREATE INDEX ix_events_job_id ON events (job_id);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_intents_node_id ON intents (node_id);
CREATE INDEX ix_prices_node_type_capacity_zone_valid_from_s ON prices (node_type, capacity, zone, valid_from_s);
CREATE INDEX ix_decisions_action ON decisions (action);
CREATE INDEX ix_decisions_job_id_action_id ON decisions (job_id, action, id);
CREATE INDEX ix_decisions_job_id_id ON decisions (job_id, id);
CREATE INDEX ix_nodes_job_id ON nodes (job_id);
CREATE INDEX ix_nodes_phase ON nodes (phase);
CREATE INDEX ix_nodes_token ON nodes (token);
CREATE INDEX ix_ledger_job_id ON ledger (job_id);
CREATE INDEX ix_ledger_node_id ON ledger (node_id);
CREATE INDEX ix_windows_job_id_id ON windows (job_id, id);
CREATE INDEX ix_windows_series_id_is_cold_id ON windows (series_id, is_cold, id);
CREATE INDEX ix_jobs_phase ON jobs (phase);
CREATE INDEX ix_jobs_name ON jobs (name);
COMMIT;
