-- migration 0002, by the code of commit fa676fa; made by make.py
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s BIGINT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-ba86d49a',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-ba86d49a',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-ba86d49a',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-ba86d49a',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-ba86d49a',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-ba86d49a',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-ba86d49a',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-ba86d49a',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-ba86d49a',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-ba86d49a',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-ba86d49a',1700000085,'main',36.0);
INSERT INTO "buckets" VALUES('job-fa74fd4f',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-fa74fd4f',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-fa74fd4f',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-fa74fd4f',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-fa74fd4f',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-fa74fd4f',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-fa74fd4f',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-fa74fd4f',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-fa74fd4f',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-fa74fd4f',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-fa74fd4f',1700000085,'main',36.0);
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
	snapshot BLOB NOT NULL, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "decisions" VALUES(1,'job-ba86d49a',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{}}',X'789CBD56DB6EDB300CFD173D67419AB45D9BEFD85B5108B425DB6A65C9D325695AF4DF77685B4EB3611830A0F5534491879743527913CE1F6514FBABEF9BE9DBAE372BF1E42BB17F1346893DFFFE56D1DDADBABE27B11271D035DF39EA356EB5535A415CFBBE2707FD07910219B71E4EE291C50A5A2E5BBB82EA0186EF2B71F4E1D97A52E5A23B0D3A0C14809874889392836594BD71886D39D1CB741A82AF258CA41BF105E5E411446B7D45565694EAAE801B405232DE71929CE04AF8EA49D7C91C34E7014CD39B574639AB8ED8CA5B4B01B04A93B2C669AED3045A65D5EA24735C72000C1F47C3CEE750E407B2594BDFC8647A7DD698AEE73465420180FDC005A3816A934E9C943BC1F9E0ADA9F958E998E4080769635EB4928B71F136741447A4859F1E5C403FBB64AC5C129CDDC39F62B2641BA81ED3DB6D98FE643412103FAE60D97BB88DD40F56CFCC0C41D7269E5166B73008D939E35AEE925CF52625C448E9A2BD46FC03581EEDB71FF811FB6B2667EC1E80C8023A67D0401ABB05B0B494627F85031D23B57A092B51004BE5B6CE2168B71CC78E9A6A7EC1C15239EB6BB2EB9F990222E40E1FB2D86FD6DB1B76D4FB7092ADC1948CF3D20E59D63E33FA7CEA8169CFB49CA2011A74825E825FEAC86E4533ECB6E2F17DF59BFF8E6C7376FEB5BE1BA816DF57ECEA137D3FB2DCD43305BC7830E7BE697418097E131F7AFD4F6ACE43E3DD37A5C74DB412AFDE2DDA02FDF061FAD0864C24C6C928D904DF8F4D7A7B8FEFF67A6A525F451D0E7FE9E08811AF193C612AE14ABFA06FA3BCF4C005E54CB6FFCAA490FC3F695C7F591ABB7FA551FAE57FD2B8FFF42CD061C03065E8E3D1E09558D66E47AE5DAE06EC8969B9C3708346B47822529C9E8BD0F29BB4595FF1EBE6ADF247C721DD4EB1A460D0EF47E32087F4AE483898D851D0F3184FEEE540396A89CEF781416E18A2F23E9D453B16319E2C9EA61D3D4E0BBF88122B8FC577A5567198EC2FAF77738078514D9F7B59196B51CF38E658A2C43BA5B19C415D4336EA95089A6A5ECE65E5326F8E0E642C55564FE5523E57D8F41787A57A58F051D694C8FA563EE3CF066A9742D69C53EAF0FAB0E0E1F1FD173E17DA06');
INSERT INTO "decisions" VALUES(2,'job-fa74fd4f',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{}}',X'789CBD56DB4EE33010FD173F97AAB4E5D6EFD837545993C4490C8E9DF5A5A520FE7DCF24714A77B54242823CD563CF993973ED9BB0EE2883D85DDFADC66FBD5C2DC4932BC4EE4DE84AECF8F7554D77DBBADAD6622142AF4ABEB3D429DC464FDA6ADBE0A6745D47162A8FA374D99FC49EC5151EDA64CC42287B80EEFB421C9D7F368EAA7CD19E7AE57BF2008DCA87F1918566909DB6706F3ED1CB78EABD2B2594A41DF005A5E8E044635C41461614CB36836B4052D4CE324FE6B810AE785265D407C55480A93BFDCA28E7A70376E58C210FD84A5165B4551CAA11B44855A3A24C61E600183E0E8AAD4B3ECB0F649292AE965177EAFC62BC9E68CA880000FB9103463D953A9E98943DC178EF8C2EF958A810E5000769AD5F542567E56CAD6F290C48738A3AE402EF938DDAC899E0641EF62A4E966C3C9503BDCD8A2B206A0502E2D735343B07B381BADEA82933BD57A50E6794C92C147CB253398454743A46F848F1A2C206FC03B23CE8AF3FE447ECB69C9C5C5332834E0C6A48433B03E692AAD85ECE810A811A35BB15C9234BF9B64CDE2B3B1F878A1A637E91833972C6956496BF137978C815DE27B15B2DD7376CA873FE241B8D46195AA6E9932C5D62F4E9D401D39CD3720A1A6878E3D5ECFC1C47362BEA7EB316FBF7C55FF65B32F5D9F8CFDAAEF134DBBE6653DF687BCF725D4E29E0D9833E7775ADFC90E037F1A1D6FF4DCDB9699CBDAAD4308916E2D5D9F9B5403D7CE83E94212712EDA42B597BD70D457AFB80EF763B16A92B82F287FF5470408B97C3084457C2947A41DD0679698103CA4CD69F31C949FE0A8DED8FD1D87C4623D7CB57683C7C3B0B541830746EFA70D4D812F3D86DC936F3558F39310E7728AE5088062B2286715DF88677D26A79CDDBCD99CA1D2DBB743BFA12BD46BD1FB5851CD2FB2C6167424B5E4D6D3C9A973DA5A0242ADF7906B96188C2B978166D58C478325B1A67F4D02DBC1125461E8BEF73AC423FEA5F5E6F2607B15175973A59686310CF3070CC5E624F290C67A4AE2613D4427845250FE73C72396F960EA40D15468DE1AA5C2A30E92F0E73F430E0832C2992718D7CC6FF0DC42EFAA498536CB17D58F0B87FFF0364EDDB95');
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
INSERT INTO "events" VALUES(2,1700000000.0,'job-ba86d49a',NULL,'job_submitted','job ended submitted, to run on T1','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-ba86d49a',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-ba86d49a',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-ba86d49a','node-66a044b6','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-ba86d49a','node-66a044b6','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-ba86d49a','node-542aab89','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-ba86d49a','node-542aab89','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-ba86d49a',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-ba86d49a',NULL,'decision','start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-ba86d49a',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-ba86d49a','node-66a044b6','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-ba86d49a','node-66a044b6','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-ba86d49a','node-542aab89','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-ba86d49a','node-542aab89','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-ba86d49a',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-ba86d49a',NULL,'job_phase','job ended is cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-fa74fd4f',NULL,'job_submitted','job training submitted, to run on T1','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-fa74fd4f',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-fa74fd4f',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-fa74fd4f','node-432337b1','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-fa74fd4f','node-432337b1','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-fa74fd4f','node-52e1d880','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-fa74fd4f','node-52e1d880','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-fa74fd4f',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-fa74fd4f',NULL,'decision','start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-fa74fd4f',NULL,'note','a note of training','{}');
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
INSERT INTO "generations" VALUES('job-ba86d49a',1,'["node-66a044b6", "node-542aab89"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5,0,2);
INSERT INTO "generations" VALUES('job-fa74fd4f',1,'["node-432337b1", "node-52e1d880"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5,0,2);
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
INSERT INTO "intents" VALUES(1,'2bcac1653958d0fa06c9717a962e3813','launch','node-66a044b6','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'84a287457586950f90270e2e06caa805','launch','node-542aab89','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'2bcac1653958d0fa06c9717a962e3813','terminate','node-66a044b6','2bcac1653958d0fa06c9717a962e3813','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'84a287457586950f90270e2e06caa805','terminate','node-542aab89','84a287457586950f90270e2e06caa805','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'502afd6e3417af786bfe4273ee9a51b2','launch','node-432337b1','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'3765a9029ef70bbe22ad4f578f622848','launch','node-52e1d880','h','',1700000001.0,1700000005.0,'launched');
CREATE TABLE jobs (
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
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_id UNIQUE (id), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key)
);
INSERT INTO "jobs" VALUES(1,'job-ba86d49a','ended','{"name":"ended","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"tier":"T1","most_samples":{},"precision":null}','cancelled',1700000000.0,4,400,1,0,0,'main',1700000620.0,'cancelled','asked',NULL,NULL,0,-1,NULL,'ended','ended');
INSERT INTO "jobs" VALUES(2,'job-fa74fd4f','training','{"name":"training","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"tier":"T1","most_samples":{},"precision":null}','running',1700000000.0,2,400,1,0,0,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',NULL,0,-1,NULL,'training','training');
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
INSERT INTO "ledger" VALUES(1,'job-ba86d49a','node-66a044b6','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-ba86d49a','node-66a044b6','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-ba86d49a','node-542aab89','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-ba86d49a','node-542aab89','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-fa74fd4f','node-432337b1','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-fa74fd4f','node-432337b1','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-fa74fd4f','node-52e1d880','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-fa74fd4f','node-52e1d880','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
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
	is_waived BOOLEAN NOT NULL, processes INTEGER DEFAULT '1' NOT NULL, threads INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_nodes PRIMARY KEY (seq), 
	CONSTRAINT fk_nodes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_nodes_id UNIQUE (id)
);
INSERT INTO "nodes" VALUES(1,'node-66a044b6','job-ba86d49a','local.half','on-demand','local','terminated','2bcac1653958d0fa06c9717a962e3813',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1);
INSERT INTO "nodes" VALUES(2,'node-542aab89','job-ba86d49a','local.half','on-demand','local','terminated','84a287457586950f90270e2e06caa805',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1);
INSERT INTO "nodes" VALUES(3,'node-432337b1','job-fa74fd4f','local.half','on-demand','local','joined','502afd6e3417af786bfe4273ee9a51b2',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1);
INSERT INTO "nodes" VALUES(4,'node-52e1d880','job-fa74fd4f','local.half','on-demand','local','joined','3765a9029ef70bbe22ad4f578f622848',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1);
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
	training_phase VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_series PRIMARY KEY (id), 
	CONSTRAINT fk_series_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_series_job_id_members_training_phase UNIQUE (job_id, members, training_phase)
);
INSERT INTO "series" VALUES(1,'job-ba86d49a','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main');
INSERT INTO "series" VALUES(2,'job-fa74fd4f','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main');
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
INSERT INTO "windows" VALUES(1,1,'job-ba86d49a','node-66a044b6',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-ba86d49a','node-66a044b6',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-ba86d49a','node-66a044b6',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-ba86d49a','node-66a044b6',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-ba86d49a','node-66a044b6',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-ba86d49a','node-66a044b6',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-ba86d49a','node-66a044b6',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-ba86d49a','node-66a044b6',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-ba86d49a','node-66a044b6',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-ba86d49a','node-66a044b6',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-ba86d49a','node-66a044b6',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-ba86d49a','node-66a044b6',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-ba86d49a','node-66a044b6',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-ba86d49a','node-66a044b6',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-ba86d49a','node-66a044b6',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-ba86d49a','node-66a044b6',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-ba86d49a','node-66a044b6',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-ba86d49a','node-66a044b6',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-ba86d49a','node-66a044b6',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-ba86d49a','node-66a044b6',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-ba86d49a','node-66a044b6',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-ba86d49a','node-66a044b6',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-ba86d49a','node-66a044b6',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-ba86d49a','node-66a044b6',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-ba86d49a','node-66a044b6',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-ba86d49a','node-66a044b6',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-ba86d49a','node-66a044b6',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-ba86d49a','node-66a044b6',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-ba86d49a','node-66a044b6',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-ba86d49a','node-66a044b6',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-ba86d49a','node-66a044b6',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-ba86d49a','node-66a044b6',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-ba86d49a','node-66a044b6',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-ba86d49a','node-66a044b6',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-ba86d49a','node-66a044b6',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-ba86d49a','node-66a044b6',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-ba86d49a','node-66a044b6',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-ba86d49a','node-66a044b6',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-ba86d49a','node-66a044b6',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-ba86d49a','node-66a044b6',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-ba86d49a','node-66a044b6',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-ba86d49a','node-66a044b6',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-ba86d49a','node-66a044b6',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-ba86d49a','node-66a044b6',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-ba86d49a','node-66a044b6',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-ba86d49a','node-66a044b6',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-ba86d49a','node-66a044b6',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-ba86d49a','node-66a044b6',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-ba86d49a','node-66a044b6',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-ba86d49a','node-66a044b6',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-ba86d49a','node-66a044b6',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-ba86d49a','node-66a044b6',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-ba86d49a','node-66a044b6',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-ba86d49a','node-66a044b6',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-ba86d49a','node-66a044b6',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-ba86d49a','node-66a044b6',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-ba86d49a','node-66a044b6',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-ba86d49a','node-66a044b6',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-ba86d49a','node-66a044b6',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-ba86d49a','node-66a044b6',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-ba86d49a','node-66a044b6',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-ba86d49a','node-66a044b6',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-ba86d49a','node-66a044b6',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-ba86d49a','node-66a044b6',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-ba86d49a','node-66a044b6',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-ba86d49a','node-66a044b6',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-ba86d49a','node-66a044b6',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-ba86d49a','node-66a044b6',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-ba86d49a','node-66a044b6',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-ba86d49a','node-66a044b6',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-ba86d49a','node-66a044b6',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-ba86d49a','node-66a044b6',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-ba86d49a','node-66a044b6',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-ba86d49a','node-66a044b6',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-ba86d49a','node-66a044b6',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-ba86d49a','node-66a044b6',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-ba86d49a','node-66a044b6',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-ba86d49a','node-66a044b6',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-ba86d49a','node-66a044b6',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-ba86d49a','node-66a044b6',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-ba86d49a','node-66a044b6',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-ba86d49a','node-66a044b6',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-ba86d49a','node-66a044b6',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-ba86d49a','node-66a044b6',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-ba86d49a','node-66a044b6',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-ba86d49a','node-66a044b6',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-ba86d49a','node-66a044b6',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-ba86d49a','node-66a044b6',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-ba86d49a','node-66a044b6',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-ba86d49a','node-66a044b6',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-ba86d49a','node-66a044b6',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-ba86d49a','node-66a044b6',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-ba86d49a','node-66a044b6',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-ba86d49a','node-66a044b6',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-ba86d49a','node-66a044b6',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-ba86d49a','node-66a044b6',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-ba86d49a','node-66a044b6',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-ba86d49a','node-66a044b6',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-ba86d49a','node-66a044b6',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-ba86d49a','node-66a044b6',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-fa74fd4f','node-432337b1',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-fa74fd4f','node-432337b1',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-fa74fd4f','node-432337b1',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-fa74fd4f','node-432337b1',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-fa74fd4f','node-432337b1',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-fa74fd4f','node-432337b1',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-fa74fd4f','node-432337b1',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-fa74fd4f','node-432337b1',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-fa74fd4f','node-432337b1',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-fa74fd4f','node-432337b1',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-fa74fd4f','node-432337b1',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-fa74fd4f','node-432337b1',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-fa74fd4f','node-432337b1',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-fa74fd4f','node-432337b1',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-fa74fd4f','node-432337b1',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-fa74fd4f','node-432337b1',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-fa74fd4f','node-432337b1',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-fa74fd4f','node-432337b1',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-fa74fd4f','node-432337b1',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-fa74fd4f','node-432337b1',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-fa74fd4f','node-432337b1',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-fa74fd4f','node-432337b1',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-fa74fd4f','node-432337b1',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-fa74fd4f','node-432337b1',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-fa74fd4f','node-432337b1',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-fa74fd4f','node-432337b1',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-fa74fd4f','node-432337b1',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-fa74fd4f','node-432337b1',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-fa74fd4f','node-432337b1',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-fa74fd4f','node-432337b1',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-fa74fd4f','node-432337b1',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-fa74fd4f','node-432337b1',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-fa74fd4f','node-432337b1',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-fa74fd4f','node-432337b1',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-fa74fd4f','node-432337b1',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-fa74fd4f','node-432337b1',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-fa74fd4f','node-432337b1',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-fa74fd4f','node-432337b1',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-fa74fd4f','node-432337b1',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-fa74fd4f','node-432337b1',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-fa74fd4f','node-432337b1',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-fa74fd4f','node-432337b1',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-fa74fd4f','node-432337b1',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-fa74fd4f','node-432337b1',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-fa74fd4f','node-432337b1',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-fa74fd4f','node-432337b1',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-fa74fd4f','node-432337b1',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-fa74fd4f','node-432337b1',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-fa74fd4f','node-432337b1',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-fa74fd4f','node-432337b1',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-fa74fd4f','node-432337b1',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-fa74fd4f','node-432337b1',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-fa74fd4f','node-432337b1',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-fa74fd4f','node-432337b1',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-fa74fd4f','node-432337b1',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-fa74fd4f','node-432337b1',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-fa74fd4f','node-432337b1',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-fa74fd4f','node-432337b1',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-fa74fd4f','node-432337b1',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-fa74fd4f','node-432337b1',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-fa74fd4f','node-432337b1',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-fa74fd4f','node-432337b1',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-fa74fd4f','node-432337b1',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-fa74fd4f','node-432337b1',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-fa74fd4f','node-432337b1',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-fa74fd4f','node-432337b1',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-fa74fd4f','node-432337b1',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-fa74fd4f','node-432337b1',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-fa74fd4f','node-432337b1',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-fa74fd4f','node-432337b1',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-fa74fd4f','node-432337b1',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-fa74fd4f','node-432337b1',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-fa74fd4f','node-432337b1',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-fa74fd4f','node-432337b1',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-fa74fd4f','node-432337b1',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-fa74fd4f','node-432337b1',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-fa74fd4f','node-432337b1',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-fa74fd4f','node-432337b1',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-fa74fd4f','node-432337b1',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-fa74fd4f','node-432337b1',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-fa74fd4f','node-432337b1',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-fa74fd4f','node-432337b1',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-fa74fd4f','node-432337b1',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-fa74fd4f','node-432337b1',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-fa74fd4f','node-432337b1',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-fa74fd4f','node-432337b1',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-fa74fd4f','node-432337b1',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-fa74fd4f','node-432337b1',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-fa74fd4f','node-432337b1',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-fa74fd4f','node-432337b1',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-fa74fd4f','node-432337b1',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-fa74fd4f','node-432337b1',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-fa74fd4f','node-432337b1',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-fa74fd4f','node-432337b1',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-fa74fd4f','node-432337b1',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-fa74fd4f','node-432337b1',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-fa74fd4f','node-432337b1',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-fa74fd4f','node-432337b1',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-fa74fd4f','node-432337b1',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-fa74fd4f','node-432337b1',100,1,2,400,4,0.5,0,1700000089.5);
CREATE INDEX ix_events_job_id ON events (job_id);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_intents_node_id ON intents (node_id);
CREATE INDEX ix_jobs_name ON jobs (name);
CREATE INDEX ix_jobs_phase ON jobs (phase);
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
COMMIT;
